#include "runtime/feedback_stages.hpp"

#include "runtime/run_state.hpp"

namespace weir::detail {

void feedback_entry_stage::make_region(std::size_t capacity) {
  stage::make_region(capacity);
  own_region->add_unbounded(*again, run_.max_held());
}

stage* feedback_entry_stage::step(record_body*&, context&) {
  count_one(entered_);
  return next;
}

double feedback_entry_stage::gain_to(const stage&) const {
  const auto came = static_cast<double>(entered_.load(std::memory_order_relaxed));
  return came > 0 ? 1 + static_cast<double>(again->entered()) / came : 1;
}

stage* feedback_again_stage::step(record_body*&, context&) {
  count_one(entered_);
  return next;
}

stage* feedback_exit_stage::step(record_body*& r, context&) {
  bool returns = false;
  try {
    returns = back_.matches(*r);
  } catch (const division_by_zero&) {
    fail(failure_kind::division_by_zero, r, "the guard of what goes back divides by zero");
    return nullptr;
  }
  (returns ? returned_ : left_).fetch_add(1, std::memory_order_relaxed);
  return returns ? static_cast<stage*>(&again_) : next;
}

std::uint64_t feedback_exit_stage::sent_to(const stage& to, std::uint64_t) const {
  return (&to == next ? left_ : returned_).load(std::memory_order_relaxed);
}

double feedback_exit_stage::gain_to(const stage& to) const {
  const auto left = static_cast<double>(left_.load(std::memory_order_relaxed));
  const auto all = left + static_cast<double>(returned_.load(std::memory_order_relaxed));
  if (&to != next) return 0;
  return all > 0 ? left / all : 1;
}

}  // namespace weir::detail
