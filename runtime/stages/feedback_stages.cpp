#include "runtime/stages/feedback_stages.hpp"

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

void feedback_entry_stage::make_region(std::size_t capacity) {
  stage::make_region(capacity);
  own_region->add_unbounded(*again, *again, run_.settings.max_held);
}

stage* feedback_entry_stage::step(record_body*&, context&) {
  count_one(entered_);
  return next;
}

flow_count feedback_entry_stage::passed_to(const stage&) const { return {entered() + again->entered(), entered()}; }

stage* feedback_again_stage::step(record_body*&, context&) {
  count_one(entered_);
  return next;
}

stage* feedback_exit_stage::step(record_body*& r, context&) {
  bool returns = false;
  try {
    returns = back_.matches(*r);
  } catch (const division_by_zero& e) {
    fail(failure_kind::division_by_zero, r,
         "the guard of what goes back, " + to_string(*e.guarded) + ", divides by zero");
    return nullptr;
  }
  (returns ? returned_ : left_).fetch_add(1, std::memory_order_relaxed);
  return returns ? static_cast<stage*>(&again_) : next;
}

std::uint64_t feedback_exit_stage::sent_to(const stage& to, std::uint64_t) const {
  return (&to == next ? left_ : returned_).load(std::memory_order_relaxed);
}

flow_count feedback_exit_stage::passed_to(const stage& to) const {
  if (&to != next) return {0, 0, 0};
  const std::uint64_t left = left_.load(std::memory_order_relaxed);
  return {left, left + returned_.load(std::memory_order_relaxed)};
}

flow_count feedback_exit_stage::passed_once_to(const stage& to) const {
  if (&to != next) return {0, 0, 0};
  return {left_.load(std::memory_order_relaxed), again_.entry().entered()};
}

}  // namespace weir::detail
