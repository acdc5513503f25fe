#include "runtime/entities/gather_entity.hpp"

#include <utility>

#include "runtime/entities/batched_entity.hpp"
#include "runtime/entities/order_entities.hpp"

namespace weir::detail {

// The records of one scope that wait for others.
class gather_entity::gathered final : public entity_state {
 public:
  std::size_t held() const override { return records.size(); }
  bool forget(run_environment&, const error_site&) override { return records.empty(); }

  carried_batch records;
  std::uint64_t made_as = 0;  // a number that grows from one batch of the box to the next
};

gather_entity::gather_entity(run_environment& run, std::string path, batched_entity& to, std::size_t state_index,
                             bool branches_end, std::vector<order_exit_entity*> within)
    : entity(run, std::move(path)),
      to_(to),
      size_(static_cast<std::size_t>(to.component.spec->most_in_batch)),
      state_index_(state_index),
      within_(std::move(within)) {
  if (branches_end) to.gate = &gate_.emplace(*this, to);
}

void gather_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  if (gate_) gate_->set_in_front(run_.platform.has_threads());
}

std::string gather_entity::name() const { return to_.name(); }

gather_entity::gathered& gather_entity::state_in(scope& in) {
  auto& state = in.state(state_index_);
  if (!state) state = std::make_unique<gathered>();
  return static_cast<gathered&>(*state);
}

// A record without a context that carries what was gathered. `held`: of these, those that were counted as held.
record_body* gather_entity::made_of(gathered& g, std::size_t held) {
  const std::size_t count = g.records.size();
  record_body* const made = carrier_of(g.records);
  sent_.fetch_add(count, std::memory_order_relaxed);
  batches_.fetch_add(1, std::memory_order_relaxed);
  held_.fetch_sub(held, std::memory_order_relaxed);
  return made;
}

// A record that waits gives up its position in ordered networks, as in a synchrocell, so none waits behind it.
entity* gather_entity::step(record_body*& r, context&) {
  gathered& here = state_in(run_.scope_of(*r));
  const std::size_t before = here.records.size();
  if (before == 0) here.made_as = ++made_;
  if (before + 1 < size_) {
    if (held() >= run_.settings.max_held) {
      fail(failure_kind::too_many_held, r, "batches here hold " + std::to_string(held()) + " records, option max_held");
      return nullptr;
    }
    here.records.emplace_back(r);
    taken_.fetch_add(1, std::memory_order_relaxed);
    held_.fetch_add(1, std::memory_order_relaxed);
    leave_context(*r);
    return nullptr;
  }
  here.records.emplace_back(r);
  record_body* made;
  try {
    made = made_of(here, before);
  } catch (...) {
    here.records.back().release();
    here.records.pop_back();
    throw;
  }
  taken_.fetch_add(1, std::memory_order_relaxed);
  move_context(*r, *made);
  r = made;
  return next;
}

bool gather_entity::is_to_finish(scope& in) const {
  const auto& state = in.state(state_index_);
  return state && state->held() > 0;
}

std::uint64_t gather_entity::made_as(scope& in) const {
  const auto& state = in.state(state_index_);
  return state ? static_cast<const gathered&>(*state).made_as : 0;
}

void gather_entity::finish(scope& in, order_slot* at, std::size_t outer) {
  gathered& here = state_in(in);
  record_body* made;
  try {
    for (std::size_t i = outer; i < within_.size(); ++i) at = within_[i]->open(at);
    made = made_of(here, here.records.size());
  } catch (...) {
    if (at) at->let_go();
    throw;
  }
  made->order = at;
  if (in.parent()) {
    in.hold_with_outer();
    made->where = &in;
  }
  owned_body mine(made);
  to_.own_region->unbounded()->push(&made, 1);
  mine.release();
}

std::uint64_t gather_entity::records_dropped() const { return sent() - to_.records_taken(); }
std::uint64_t gather_entity::batches_dropped() const {
  return batches_.load(std::memory_order_relaxed) - to_.batches_taken();
}

}  // namespace weir::detail
