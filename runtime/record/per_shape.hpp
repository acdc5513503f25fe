#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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
  [[gnu::always_inline]] const Plan* find(const shape* s, Make make) {
    // acquire pairs with the release below: a thread that sees a shape sees its plan.
    if (first_.of.load(std::memory_order_acquire) == s) [[likely]]
      return first_.plan.get();
    return find_further(s, make);
  }

  ~per_shape() { delete more_.load(std::memory_order_relaxed); }

 private:
  template <class Make>
  [[gnu::noinline]] const Plan* find_further(const shape* s, const Make& make) {
    if (const Plan* const p = known(s)) return p;
    const lock_guard lock(making_);
    if (first_.of.load(std::memory_order_relaxed) == s) return first_.plan.get();
    if (const Plan* const p = known(s)) return p;
    Owner made = make();
    if (!made) return nullptr;
    if (!first_.of.load(std::memory_order_relaxed)) {
      first_.plan = std::move(made);
      first_.of.store(s, std::memory_order_release);
      return first_.plan.get();
    }
    return insert(s, std::move(made));
  }

  // A hash table with linear probing, at most half full. A slot is filled once, so readers need no lock. A full table
  // is replaced by another of twice its size, and kept for its readers.
  struct slot {
    threads::atomic<const shape*> of{nullptr};
    const Plan* plan = nullptr;  // written before `of`
  };
  struct table {
    explicit table(int b) : bits(b), slots(std::make_unique<slot[]>(std::size_t{1} << b)) {}
    // Fibonacci hashing: the low bits of an address say little.
    std::size_t first_for(const shape* s) const {
      return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(s) * 0x9E3779B97F4A7C15u) >> (64 - bits));
    }
    std::size_t behind(std::size_t at) const { return (at + 1) & ((std::size_t{1} << bits) - 1); }
    // With making_ held, for a shape that is not there.
    slot& free_for(const shape* s) const {
      std::size_t at = first_for(s);
      while (slots[at].of.load(std::memory_order_relaxed)) at = behind(at);
      return slots[at];
    }

    const int bits;
    const std::unique_ptr<slot[]> slots;
    std::vector<Owner> plans;  // under making_
    std::unique_ptr<table> smaller;
  };
  static constexpr int fewest_bits = 4;

  const Plan* known(const shape* s) const {
    const table* const more = more_.load(std::memory_order_acquire);
    if (!more) return nullptr;
    for (std::size_t at = more->first_for(s);; at = more->behind(at)) {
      const shape* const of = more->slots[at].of.load(std::memory_order_acquire);
      if (of == s) return more->slots[at].plan;
      if (!of) return nullptr;
    }
  }

  // With making_ held, for a shape that is not there.
  const Plan* insert(const shape* s, Owner made) {
    table* now = more_.load(std::memory_order_relaxed);
    if (!now || now->plans.size() >= std::size_t{1} << (now->bits - 1)) now = grow(now);
    now->plans.push_back(std::move(made));
    slot& at = now->free_for(s);
    at.plan = now->plans.back().get();
    at.of.store(s, std::memory_order_release);
    return at.plan;
  }

  table* grow(table* from) {
    auto larger = std::make_unique<table>(from ? from->bits + 1 : fewest_bits);
    for (std::size_t i = 0; from && i < std::size_t{1} << from->bits; ++i) {
      const shape* const of = from->slots[i].of.load(std::memory_order_relaxed);
      if (!of) continue;
      slot& to = larger->free_for(of);
      to.plan = from->slots[i].plan;
      to.of.store(of, std::memory_order_relaxed);
    }
    if (from) larger->plans = std::move(from->plans);
    larger->smaller.reset(from);
    more_.store(larger.get(), std::memory_order_release);
    return larger.release();
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
