#include "runtime/entities/feedback_entities.hpp"

#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

void feedback_entry_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->add_unbounded(*again, *again, run_.settings.max_held);
}

entity* feedback_entry_entity::step(record_body*&, context&) {
  count_alone(entered_);
  return next;
}

flow_count feedback_entry_entity::passed_to(const entity&) const { return {entered() + again->entered(), entered()}; }

entity* feedback_again_entity::step(record_body*&, context&) {
  count_alone(entered_);
  return next;
}

entity* feedback_exit_entity::step(record_body*& r, context&) {
  bool returns = false;
  try {
    returns = back_.matches(*r);
  } catch (const division_by_zero& e) {
    fail(failure_kind::division_by_zero, r,
         "the guard of what goes back, " + to_string(*e.guarded) + ", divides by zero");
    return nullptr;
  }
  (returns ? returned_ : left_).fetch_add(1, std::memory_order_relaxed);
  return returns ? static_cast<entity*>(&again_) : next;
}

std::uint64_t feedback_exit_entity::sent_to(const entity& to, std::uint64_t) const {
  return (&to == next ? left_ : returned_).load(std::memory_order_relaxed);
}

flow_count feedback_exit_entity::passed_to(const entity& to) const {
  if (&to != next) return {0, 0, 0};
  const std::uint64_t left = left_.load(std::memory_order_relaxed);
  return {left, left + returned_.load(std::memory_order_relaxed)};
}

flow_count feedback_exit_entity::passed_once_to(const entity& to) const {
  if (&to != next) return {0, 0, 0};
  return {left_.load(std::memory_order_relaxed), again_.entry().entered()};
}

}  // namespace weir::detail
