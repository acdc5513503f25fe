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
  // name with two types. Throws std::bad_alloc that says so when there are more than 65,535: records become as wide
  // only while they run, where they end by that error. Thread-safe; takes a lock.
  static const shape* of(std::span<const label_info* const> labels);
  static const shape* empty() { return of({}); }

  int size() const { return static_cast<int>(labels_.size()); }
  int boxed() const { return boxed_; }                   // slots [0, boxed) hold boxed fields
  int first_binding_tag() const { return first_btag_; }  // slots [first_binding_tag, size) hold binding tags
  const label_info& operator[](int slot) const { return *labels_[static_cast<std::size_t>(slot)]; }
  std::span<const label_info* const> labels() const;

  // The slot of the label with this key, or -1. Records have few labels: those in the first slots are compared one by
  // one, and the others are searched in an order by key.
  int find(std::uint64_t key) const {
    for (std::size_t i = 0; i < compared_; ++i)
      if (keys_[i] == key) return static_cast<int>(i);
    return compared_ == keys_.size() ? -1 : find_behind(key);
  }

 private:
  static constexpr std::size_t most_compared = 32;    // beyond it a binary search takes fewer comparisons
  static constexpr std::size_t most_labels = 65'535;  // plans of boxes and filters hold slots as numbers of 16 bits

  // The spans are memory of these sizes: for keys of all slots, and for the slots that are searched.
  shape(std::span<const label_info* const> sorted, std::span<std::uint64_t> keys, std::span<std::uint16_t> by_key);
  int find_behind(std::uint64_t key) const;

  std::span<const label_info* const> labels_;
  std::span<const std::uint64_t> keys_;
  std::span<const std::uint16_t> by_key_;  // slots from compared_ on, in the order of their keys
  std::size_t compared_ = 0;
  int boxed_ = 0;
  int first_btag_ = 0;
};

}  // namespace detail
}  // namespace weir
