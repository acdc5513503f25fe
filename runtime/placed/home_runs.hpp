#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include <weir/record/record.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/placed/call_book.hpp"

namespace weir::detail {

// Records whose branches a lost rank ran, and that the home now runs itself. They pass the inlet of the call's region,
// behind the results that arrived before, so none overtakes those. Any thread may call.
class home_runs {
 public:
  home_runs(entity& call, call_book& book) : call_(call), book_(book) {}

  // The part at home; null: it is elsewhere only. Before the run starts.
  void set_body(entity& body) { body_ = &body; }
  entity* body() const { return body_; }

  std::size_t room() const;  // records; 0 as well while results fill the inlet
  // Takes the records over. Throws std::bad_alloc.
  void run(record_body* const* records, std::size_t count);

  // Whether some record ever ran here. Relaxed.
  bool any() const { return any_.load(std::memory_order_relaxed); }
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  // By the region, for a record out of its inlet: whether it is to run here, and no result.
  bool take(record_body* r);

 private:
  entity& call_;
  call_book& book_;
  entity* body_ = nullptr;
  std::unordered_set<record_body*> waiting_;  // in the region's inlet; under the book's mutex
  threads::atomic<bool> any_{false};
  threads::atomic<std::uint64_t> count_{0};  // relaxed: a number only
};

}  // namespace weir::detail
