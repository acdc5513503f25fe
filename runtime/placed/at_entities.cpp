#include "runtime/placed/at_entities.hpp"

#include "runtime/placed/call_entity.hpp"

namespace weir::detail {

void at_exit_entity::begin(record_body& r) {
  r.order = order_slot::make(*this, r.order);
  counts->begins_here();
}

// Results of folds at the end of the input have no position here.
entity* at_exit_entity::step(record_body*& r, context&) {
  order_slot* const slot = r->order;
  if (!slot || &slot->listener() != this) return next;
  r->order = slot->outer();
  if (r->order) r->order->hold();
  slot->let_go();
  return next;
}

void at_exit_entity::is_over(order_slot& slot) noexcept {
  order_slot::destroy(&slot);
  counts->ends_here();
}

at_entity::at_entity(run_environment& run, std::string path, std::string name, int rank, entity& here,
                     call_entity& elsewhere, at_exit_entity* exit)
    : entity(run, std::move(path)),
      name_(std::move(name)),
      rank_(rank),
      here_(here),
      elsewhere_(elsewhere),
      exit_(exit) {}

std::vector<entity*> at_entity::successors() const { return {&here_, &elsewhere_}; }

entity* at_entity::step(record_body*& r, context&) {
  const bool is_here = elsewhere_.place_branch(*r) == rank_;
  (is_here ? stayed_ : went_).fetch_add(1, std::memory_order_relaxed);
  if (!is_here) return &elsewhere_;
  if (exit_) exit_->begin(*r);
  return &here_;
}

std::uint64_t at_entity::sent_to(const entity& to, std::uint64_t) const {
  return (&to == &here_ ? stayed_ : went_).load(std::memory_order_relaxed);
}

flow_count at_entity::passed_to(const entity& to) const {
  const std::uint64_t stayed = stayed_.load(std::memory_order_relaxed), went = went_.load(std::memory_order_relaxed);
  return {&to == &here_ ? stayed : went, stayed + went, 0.5};
}

}  // namespace weir::detail
