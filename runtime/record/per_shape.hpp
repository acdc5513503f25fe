#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/record/shape.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir {
namespace detail {

// A table from shapes to what was computed for records of that shape, an immutable Plan. A plan is made for the first
// record of its shape and kept until the table is destroyed. Thread-safe. A look-up that finds a plan takes no lock and
// writes nothing.
template <class Plan>
class per_shape {
 public:
  per_shape() = default;
  per_shape(const per_shape&) = delete;
  per_shape& operator=(const per_shape&) = delete;
  ~per_shape() {
    for (auto& list : lists_)
      for (const entry* e = list.load(std::memory_order_relaxed); e;) delete std::exchange(e, e->next);
  }

  // The plan for records of this shape. If there is none yet, find() calls make(), which returns a
  // std::unique_ptr<Plan>, and keeps the result. When make() returns null, find() does, too; when it throws, find()
  // does. Neither is remembered. Calls of make() are serialised for the whole table, so make() must not call find() of
  // this table.
  template <class Make>
  const Plan* find(const shape* s, Make make) {
    auto& list = lists_[list_of(s)];
    // acquire pairs with the release below: a thread that sees an entry sees its plan.
    if (const entry* e = known(list.load(std::memory_order_acquire), s)) return e->plan.get();
    const lock_guard lock(making_);
    const entry* const first = list.load(std::memory_order_relaxed);
    if (const entry* e = known(first, s)) return e->plan.get();
    std::unique_ptr<const Plan> made = make();
    if (!made) return nullptr;
    const auto* const e = new entry{s, std::move(made), first};
    list.store(e, std::memory_order_release);
    return e->plan.get();
  }

 private:
  struct entry {
    const shape* of;
    std::unique_ptr<const Plan> plan;
    const entry* next;
  };

  // 16 lists. An entity meets few shapes, so most lists have one entry, and reading a list's head costs no more than
  // remembering the last entry found would. Threads that meet different shapes would all write that memory.
  static constexpr int list_bits = 4;

  // Fibonacci hashing: the low bits of an address say little.
  static std::size_t list_of(const shape* s) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(s) * 0x9E3779B97F4A7C15u) >> (64 - list_bits));
  }
  static const entry* known(const entry* e, const shape* s) {
    while (e && e->of != s) e = e->next;
    return e;
  }

  std::array<threads::atomic<const entry*>, std::size_t{1} << list_bits> lists_{};
  WEIR_LOCK(plans) making_;
};

}  // namespace detail
}  // namespace weir
