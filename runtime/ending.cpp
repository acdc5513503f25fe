#include <exception>
#include <new>
#include <utility>

#include "runtime/errors.hpp"
#include "runtime/order_stages.hpp"
#include "runtime/run_state.hpp"
#include "runtime/thrown.hpp"

// How records end by errors, and how a run ends.
namespace weir::detail {

void run_state::drained() {
  {
    const lock_guard lock(state_mutex_);
    if (finished_.load()) return;
    ended_at_.store(now());
    finished_.store(true);
    over_.notify_all();
  }
  results_.wake();
}

void run_state::stop() noexcept {
  if (!begin_to_wake()) return;
  wake_all();
  check_no_locks("boxes are told to stop");
  tell_boxes_to_stop();
}

// The controller's thread calls no function of the user's: the messenger's does.
void run_state::stop_by_controller() noexcept {
  if (!begin_to_wake()) return;
  wake_all();
  try {
    messages_.put(messenger::stopping{});
  } catch (const std::bad_alloc&) {
    tell_boxes_to_stop();
  }
}

bool run_state::begin_to_wake() noexcept {
  const lock_guard lock(state_mutex_);
  if (std::exchange(was_stopped_, true)) return false;
  begin_to_stop();
  return true;
}

void run_state::wake_all() noexcept {
  results_.wake();
  messages_.wake();
  for (observer* o : net_stages_.observers) o->wake();
  for (auto& s : stages_) {
    if (!s->own_region) continue;
    s->own_region->room.ring_now();
    s->own_region->wake_turn_waiters();
  }
  results_.room.ring_now();
  {
    const lock_guard lock(placing_);
    shared_->wake_all();
    for (auto& g : owners_)
      if (g) g->wake_all();
  }
  ledger().recheck();
}

std::stop_source run_state::freeze() noexcept {
  stopping_.store(true);
  return ending_;
}

void run_state::begin_to_stop() noexcept {
  if (stopping_.load()) return;
  if (!finished_.load()) ended_at_.store(now());
  stopping_.store(true);
  over_.notify_all();
}

void run_state::end_with(failure f) noexcept {
  failures_.end_by(std::move(f));
  stop();
}

void run_state::end_soon() noexcept {
  {
    const lock_guard lock(state_mutex_);
    begin_to_stop();
  }
  wants_step_.store(true);
  machine_->wake_controller();
}

void run_state::record_failed(failure_kind kind, const stage& at, record_body* r, std::string_view cause) noexcept {
  failure f{kind, {}, {}, {}, {}};
  try {
    f.path = at.path(*r);
    f.entity = at.name();
    f.cause = cause;
    f.record = to_string(*r);
  } catch (...) {  // a field's own << threw: the failure is reported without the record. Or there is no memory
    if (!std::current_exception()) keeps_thread();
  }
  if (f.cause.empty()) f.cause = "out of memory";  // so short that it takes none
  drop_body(r);
  if (traces())
    trace([&]() -> trace_event {
      return {trace_kind::error, now() - started_at_, 0, core_here(), 0, 0, 0, f.entity, f.path, f.cause};
    });
  failures_.add(f);
  if (options_.on_error == on_error::stop) end_with(std::move(f));
}

run_state::~run_state() { wind_up(); }

void run_state::wind_up() noexcept {
  on_stop_.reset();
  stop();
  join_workers();
  machine_->leave(*this);
  {
    const lock_guard lock(learning_);
    absorb_all();  // so that on_observation has seen every one
  }
  {
    const off_cores meanwhile;
    messages_.finish();
  }
  drop_all();
  for (; batch_at_ < batch_.size(); ++batch_at_) drop_body(batch_[batch_at_]);
  results_.take(batch_);
  for (record_body* r : batch_) drop_body(r);
}

// Dropping one record may let others out that waited for it, and what has no scope any more ends with it.
void run_state::drop_all() noexcept {
  bool dropped = true;
  while (dropped) {
    dropped = false;
    for (auto& s : stages_) {
      if (s->own_region && s->own_region->drop_all() > 0) dropped = true;
      if (auto* const exit = dynamic_cast<order_exit_stage*>(s.get()))
        if (exit->drop_all()) dropped = true;
    }
  }
  outermost_.reset();
}

// Whoever ended the run may have left it to the controller to wake those who sleep, and that may be a while.
void run_state::end_workers() {
  stop();
  join_workers();
}

// After stop(): no invocation runs any more, and none will.
void run_state::join_workers() {
  std::vector<std::thread> threads;
  {
    // Workers start workers only while the run is not stopping; those that were being started are in the list.
    const lock_guard lock(workers_mutex_);
    threads.swap(threads_);
  }
  may_end_.store(true);
  may_end_.notify_all();
  {
    const off_cores meanwhile;
    for (std::thread& t : threads) t.join();
    visited_.wait(true);
  }
  const lock_guard lock(state_mutex_);
  hanging_.clear();
}

}  // namespace weir::detail
