#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <weir/record/shape.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir {
namespace detail {

// A table from shapes to what was computed for records of that shape, an immutable Plan. A plan is made for the first
// record of its shape and kept until the table is destroyed, or as long as others share it, with an Owner that shares.
// Thread-safe. A look-up that finds a plan takes no lock and writes nothing.
template <class Plan, class Owner = std::unique_ptr<const Plan>>
class per_shape {
 public:
  per_shape() = default;
  per_shape(const per_shape&) = delete;
  per_shape& operator=(const per_shape&) = delete;

  // The plan for records of this shape. If there is none yet, find() calls make(), which returns an Owner of it, and
  // keeps the result. When make() returns null, find() does, too; when it throws, find() does. Neither is remembered.
  // Calls of make() are serialised for the whole table, so make() must not call find() of this table.
  template <class Make>
  const Plan* find(const shape* s, Make make) {
    // acquire pairs with the release below: a thread that sees a shape sees its plan.
    if (first_.of.load(std::memory_order_acquire) == s) [[likely]]
      return first_.plan.get();
    if (const entry* e = known(s)) return e->plan.get();
    const lock_guard lock(making_);
    if (first_.of.load(std::memory_order_relaxed) == s) return first_.plan.get();
    if (const entry* e = known(s)) return e->plan.get();
    Owner made = make();
    if (!made) return nullptr;
    if (!first_.of.load(std::memory_order_relaxed)) {
      first_.plan = std::move(made);
      first_.of.store(s, std::memory_order_release);
      return first_.plan.get();
    }
    if (!more_.load(std::memory_order_relaxed)) more_.store(new table, std::memory_order_release);
    auto& list = more_.load(std::memory_order_relaxed)->lists[list_of(s)];
    const auto* const e = new entry{s, std::move(made), list.load(std::memory_order_relaxed)};
    list.store(e, std::memory_order_release);
    return e->plan.get();
  }

  ~per_shape() { delete more_.load(std::memory_order_relaxed); }

 private:
  struct entry {
    const shape* of;
    Owner plan;
    const entry* next;
  };

  // 16 lists. An entity meets few shapes, so most lists have one entry, and reading a list's head costs no more than
  // remembering the last entry found would. Threads that meet different shapes would all write that memory.
  static constexpr int list_bits = 4;
  struct table {
    std::array<threads::atomic<const entry*>, std::size_t{1} << list_bits> lists{};
    ~table() {
      for (auto& list : lists)
        for (const entry* e = list.load(std::memory_order_relaxed); e;) delete std::exchange(e, e->next);
    }
  };

  // Fibonacci hashing: the low bits of an address say little.
  static std::size_t list_of(const shape* s) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(s) * 0x9E3779B97F4A7C15u) >> (64 - list_bits));
  }
  // The entry of any shape but the first. acquire: as in find().
  const entry* known(const shape* s) const {
    const table* const more = more_.load(std::memory_order_acquire);
    const entry* e = more ? more->lists[list_of(s)].load(std::memory_order_acquire) : nullptr;
    while (e && e->of != s) e = e->next;
    return e;
  }

  // Most tables meet one shape only: then they allocate nothing.
  struct {
    threads::atomic<const shape*> of{nullptr};
    Owner plan;
  } first_;
  threads::atomic<table*> more_{nullptr};
  WEIR_LOCK(plans) making_;
};

}  // namespace detail
}  // namespace weir
