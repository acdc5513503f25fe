#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "runtime/streams/scope.hpp"

namespace weir::detail {

// The branches of a split by the value of their tag: a hash table with linear probing, at most half full. A look-up
// reads one cache line as a rule, where a table of nodes reads two. Used by one thread at a time.
class branch_table {
 public:
  // Null when there is none.
  scope* find(std::int64_t value) const noexcept {
    return count_ == 0 ? nullptr : slots_[place_of(value)].branch.get();
  }

  // Fetches what find() reads of the table.
  void prefetch(std::int64_t value) const noexcept {
    if (count_ > 0) __builtin_prefetch(&slots_[home_of(value)]);
  }

  // Throws std::bad_alloc, and has changed nothing then. REQUIRES: there is none with this value.
  scope& add(std::int64_t value, owned_scope branch) {
    if (2 * (count_ + 1) > size()) move_to(slots_ ? 2 * size() : fewest);
    ++count_;
    slot& s = slots_[place_of(value)];
    s = {value, std::move(branch)};
    return *s.branch;
  }

  // Takes one out. REQUIRES: it is there.
  owned_scope take(std::int64_t value) noexcept {
    const std::size_t at = place_of(value);
    owned_scope taken = std::move(slots_[at].branch);
    --count_;
    close_gap(at);
    shrink();
    return taken;
  }

  // In an order that only the changes so far decide.
  template <class Use>
  void each(const Use& use) const {
    for (std::size_t at = 0; at < size(); ++at)
      if (slots_[at].branch) use(*slots_[at].branch);
  }

  // Gives up those for which goes(branch) is true, which is asked once for each. REQUIRES: goes() does not throw.
  template <class Goes>
  void remove_if(const Goes& goes) noexcept {
    if (count_ == 0) return;
    // Begins behind a free slot, so that all slots between a branch's home and its own come before it. A branch that
    // stays is then placed anew among the branches asked before, and no gap is left.
    std::size_t at = 0;
    while (slots_[at].branch) ++at;
    for (std::size_t left = size(); left > 0; --left) {
      at = behind(at);
      if (!slots_[at].branch) continue;
      slot s = std::move(slots_[at]);
      if (goes(*s.branch))
        --count_;
      else
        slots_[place_of(s.value)] = std::move(s);
    }
    shrink();
  }

  std::size_t count() const noexcept { return count_; }
  std::size_t size() const noexcept { return slots_ ? mask_ + 1 : 0; }  // slots, free ones included

  static constexpr std::size_t fewest = 8;  // slots of a table that has had a branch

 private:
  struct slot {
    std::int64_t value = 0;
    owned_scope branch;  // null: the slot is free
  };

  std::size_t behind(std::size_t at) const { return (at + 1) & mask_; }

  // Where a value is looked for first. 16 values in a row lie next to one another, as their branches often come and go
  // in a row, and lie so in memory. Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4) places
  // these rows: it keeps rows in a row apart.
  std::size_t home_of(std::int64_t value) const {
    constexpr std::uint64_t in_row = 16;
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t row = ((bits / in_row) * 0x9E3779B97F4A7C15u) >> shift_;
    return static_cast<std::size_t>(row + bits % in_row) & mask_;
  }

  // The slot of the value, or else the free one where it would go. REQUIRES: a slot is free.
  std::size_t place_of(std::int64_t value) const {
    std::size_t at = home_of(value);
    while (slots_[at].branch && slots_[at].value != value) at = behind(at);
    return at;
  }

  // After the branch of this slot has left: moves those back that were put behind it.
  void close_gap(std::size_t gap) noexcept {
    for (std::size_t at = behind(gap); slots_[at].branch; at = behind(at)) {
      const std::size_t from_home = (at - home_of(slots_[at].value)) & mask_;
      if (from_home < ((at - gap) & mask_)) continue;
      slots_[gap] = std::move(slots_[at]);
      gap = at;
    }
  }

  // Not sooner: new values often come as fast as others go.
  void shrink() noexcept {
    if (size() <= fewest || 32 * count_ >= size()) return;
    try {
      move_to(std::max(fewest, std::bit_ceil(2 * count_)));
    } catch (const std::bad_alloc&) {  // then it stays as large as it is
    }
  }

  // Into as many slots, a power of two.
  void move_to(std::size_t slots) {
    auto from = std::make_unique<slot[]>(slots);
    from.swap(slots_);
    const std::size_t before = std::exchange(mask_, slots - 1) + 1;
    shift_ = 64 - std::popcount(mask_);
    for (std::size_t at = 0; from && at < before; ++at)
      if (from[at].branch) slots_[place_of(from[at].value)] = std::move(from[at]);
  }

  std::unique_ptr<slot[]> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weir::detail
