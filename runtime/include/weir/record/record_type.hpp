#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weir/record/label.hpp>

namespace [[gnu::visibility("default")]] weir {

// A record type: a set of labels. Networks are typed by such sets, since a network takes several kinds of records and
// gives several; signature.hpp says how. An immutable value, whose copies share its labels; any thread may use it.
class variant_type {
 public:
  variant_type() = default;  // without labels

  // In any order. Throws type_error when a label stands twice or one field name has two types.
  explicit variant_type(std::vector<const detail::label_info*> labels);

  std::span<const detail::label_info* const> labels() const;  // by kind, then name; valid as long as this is
  // The number of labels, and whether there are none.
  std::size_t size() const { return labels_ ? labels_->size() : 0; }
  bool empty() const { return !labels_; }
  const detail::label_info* find(std::uint64_t key) const;  // null when there is none
  bool operator==(const variant_type& other) const;         // the same labels

  // The union and the difference of both sets. Labels are compared by name and kind: if both have a field with
  // different types, the union has this one's.
  variant_type with(const variant_type& more) const;
  variant_type without(const variant_type& less) const;

 private:
  std::shared_ptr<const std::vector<const detail::label_info*>> labels_;  // by kind, then name; null: none
};

// The labels in the order of labels(): `{a, <n>, <#k>}`.
std::string to_string(const variant_type& v);

}  // namespace weir
