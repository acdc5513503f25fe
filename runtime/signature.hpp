#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/label.hpp"

namespace weir {

// A record type: a set of labels. A value; labels are interned.
class variant_type {
 public:
  variant_type() = default;
  // Throws type_error when a label stands twice or one field name has two types.
  explicit variant_type(std::vector<const detail::label_info*> labels);

  std::span<const detail::label_info* const> labels() const { return labels_; }
  std::size_t size() const { return labels_.size(); }
  const detail::label_info* find(std::uint64_t key) const;  // null when there is none
  bool operator==(const variant_type&) const = default;

 private:
  std::vector<const detail::label_info*> labels_;  // by kind, then name
};

// What a network takes and gives: for each input variant the variants that may come out in response. Labels that an
// input record has beyond its variant ride along (flow inheritance) and are not part of the type.
struct signature {
  struct rule {
    variant_type in;
    std::vector<variant_type> out;  // empty: a sink
    variant_type named;             // the labels that anything inside takes by name: what is not in `out` is used up
  };
  std::vector<rule> rules;
};

// `{a, <n>}` ; `{a} -> {c} | {d, <k>}`.
std::string to_string(const variant_type& v);
std::string to_string(const signature& s);

namespace detail {

// The signature of `left >> right`, inferred by S-Net's rules: what the right side needs and the left neither gives nor
// names is demanded of the input and inherited. Throws type_error, naming both sides, when a label that the right needs
// was consumed on the left and not given back, when a field's types differ, or when a binding tag cannot match.
signature compose(const signature& left, const std::string& left_name, const signature& right,
                  const std::string& right_name);

// Throws type_error unless a network of signature `inferred` may be used as one of signature `declared`: every declared
// input has all that is needed, every output has all that is promised.
void check_declared(const signature& declared, const signature& inferred, const std::string& name);

}  // namespace detail
}  // namespace weir
