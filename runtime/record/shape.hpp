#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/record/label.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The set of labels that a record carries and the slot of each: what a hidden class is to a script engine. One object
// per set, interned for the life of the process; immutable, compared by address, shared by all threads.
//
// Slots: boxed fields, inlined fields, tags, binding tags; each group in order of name.
class shape {
 public:
  // The shape of these labels, in any order. Throws type_error when one field name stands with two types, or a label
  // twice.
  static const shape* of(std::span<const label_info* const> labels);
  static const shape* empty() { return of({}); }

  int size() const { return static_cast<int>(labels_.size()); }
  int boxed() const { return boxed_; }                   // slots [0, boxed) hold boxed fields
  int first_binding_tag() const { return first_btag_; }  // slots [first, size) hold binding tags
  const label_info& operator[](int slot) const { return *labels_[static_cast<std::size_t>(slot)]; }
  std::span<const label_info* const> labels() const;

  // The slot of the label with this key, or -1. Linear: records have few labels.
  int find(std::uint64_t key) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] == key) return static_cast<int>(i);
    return -1;
  }

 private:
  explicit shape(std::vector<const label_info*> sorted);
  std::vector<const label_info*> labels_;
  std::vector<std::uint64_t> keys_;
  int boxed_ = 0;
  int first_btag_ = 0;
};

}  // namespace detail
}  // namespace weir
