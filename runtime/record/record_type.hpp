#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/record/label.hpp"

namespace [[gnu::visibility("default")]] weir {

// A record type: a set of labels. A value; labels are interned.
class variant_type {
 public:
  variant_type() = default;
  // Throws type_error when a label stands twice or one field name has two types.
  explicit variant_type(std::vector<const detail::label_info*> labels);

  std::span<const detail::label_info* const> labels() const;
  std::size_t size() const { return labels_.size(); }
  bool empty() const { return labels_.empty(); }
  const detail::label_info* find(std::uint64_t key) const;  // null when there is none
  bool operator==(const variant_type&) const = default;

  // The union and the difference, by name and kind. Of a field with two types the first one's stays.
  variant_type with(const variant_type& more) const;
  variant_type without(const variant_type& less) const;

 private:
  std::vector<const detail::label_info*> labels_;  // by kind, then name
};

std::string to_string(const variant_type& v);  // `{a, <n>}`

}  // namespace weir
