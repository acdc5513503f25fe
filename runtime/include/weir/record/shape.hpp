#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <weir/record/label.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The set of labels of a record and the slot of each: like a hidden class in a script engine. There is one object for
// each set, and it lives as long as the process, so shapes are compared by address. Immutable; any thread may use it.
//
// The order of slots: boxed fields, inlined fields, tags, binding tags; each group sorted by name.
class shape {
 public:
  // The shape of these labels, which may be in any order. Throws type_error when a label stands twice, or one field
  // name with two types. Thread-safe; takes a lock.
  static const shape* of(std::span<const label_info* const> labels);
  static const shape* empty() { return of({}); }

  int size() const { return static_cast<int>(labels_.size()); }
  int boxed() const { return boxed_; }                   // slots [0, boxed) hold boxed fields
  int first_binding_tag() const { return first_btag_; }  // slots [first_binding_tag, size) hold binding tags
  const label_info& operator[](int slot) const { return *labels_[static_cast<std::size_t>(slot)]; }
  std::span<const label_info* const> labels() const;

  // The slot of the label with this key, or -1. Linear: records have few labels.
  int find(std::uint64_t key) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] == key) return static_cast<int>(i);
    return -1;
  }

 private:
  shape(std::span<const label_info* const> sorted, std::span<std::uint64_t> keys);  // keys: filled in here
  std::span<const label_info* const> labels_;
  std::span<const std::uint64_t> keys_;
  int boxed_ = 0;
  int first_btag_ = 0;
};

}  // namespace detail
}  // namespace weir
