#include "runtime/devices/device_choice.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/machine/float_state.hpp"

namespace weir::detail {
namespace {

// A waiting record looks at this interval whether the run is stopping, and whether what runs takes longer than
// expected.
constexpr auto look_interval = std::chrono::milliseconds(20);

}  // namespace

device_choice::device_choice(run_environment& run, device_slots& on, const box_spec& box, std::size_t component,
                             const std::function<std::unique_ptr<estimator>()>& fresh)
    : run_(run),
      device_(on),
      box_(box),
      component_(component),
      most_in_flight_(learns_size() ? for_lanes(run.platform.cores()->size())
                                    : most_at_device(run.platform.cores()->size(), on.device().slots(), box.max_width)),
      rule_(on.state(), box.on->from, fresh, static_cast<std::size_t>(box.most_in_batch), run.settings.longest_batch) {
  on.state().attach(rule_);
}

int device_choice::for_lanes(int lanes) const {
  return learns_size() ? most_batches_at_device(lanes, device_.device().slots(), box_.max_width)
                       : std::numeric_limits<int>::max();
}

device_rule::planned_batch device_choice::plan(std::size_t waiting) noexcept {
  const standard_floats own;
  const lock_guard lock(device_.lock());
  const device_rule::planned_batch made = rule_.plan(waiting, run_.life.now());
  largest_next_.store(rule_.largest_next(), std::memory_order_relaxed);
  return made;
}

void device_choice::end_plan(device_side side) noexcept {
  const lock_guard lock(device_.lock());
  rule_.end_plan(side);
}

bool device_choice::wait(waiting_record& r) {
  const standard_floats own;
  using state = waiting_record::state;
  unique_lock lock(device_.lock());
  if (std::exchange(r.has_plan, false)) rule_.end_plan(r.planned);
  if (run_.life.is_stopping()) return false;
  r.of = this;
  r.is = state::waits;
  r.has_failed = false;
  rule_.add(r, run_.life.now());
  device_.dispatch();
  while (r.is == state::waits || r.is == state::on_device) {
    if (r.is == state::waits && run_.life.is_stopping()) {
      rule_.remove(r);
      return false;
    }
    if (!r.wake.wait_until(lock, threads::clock::now() + look_interval)) device_.dispatch();
  }
  return true;
}

bool device_choice::begin_one() noexcept {
  const standard_floats own;
  if (!rule_.has_waiting() || run_.life.is_stopping()) return false;
  const double now = run_.life.now();
  return rule_.tries_device() ? begin_on_device(now) || begin_on_cores(now)
                              : begin_on_cores(now) || begin_on_device(now);
}

bool device_choice::begin_on_cores(double now) noexcept {
  if (!is_lane_free()) return false;
  auto* const r = static_cast<waiting_record*>(rule_.next_on_cores(now));
  if (!r) return false;
  r->lane = lanes_.use_free(-1);
  rule_.begin_on_cores(*r, now);
  note_part();
  r->is = waiting_record::state::on_cores;
  r->wake.notify_one();
  return true;
}

bool device_choice::begin_on_device(double now) noexcept {
  if (!device_.state().is_free()) return false;
  auto* const r = static_cast<waiting_record*>(rule_.next_on_device(now, is_lane_free()));
  if (!r) return false;
  try {
    device_.start(*r);
  } catch (const std::exception&) {  // the system gives no thread
    rule_.leave_alone(now);
    return true;
  }
  rule_.begin_on_device(*r, now);
  note_part();
  r->is = waiting_record::state::on_device;
  return true;
}

void device_choice::left_cores(waiting_record& r) noexcept {
  const lock_guard lock(device_.lock());
  rule_.left_cores(r, run_.life.now());
  lanes_.leave(r.lane);
  device_.dispatch();
}

void device_choice::ended_on_device(waiting_record& r) noexcept {
  const standard_floats own;
  if (r.was_not_admitted)
    rule_.not_begun_on_device(r);
  else if (r.has_failed)
    r.is_first_error = rule_.failed_on_device(r, run_.life.now());
  else
    rule_.done_on_device(r, r.seconds);
  largest_next_.store(rule_.largest_next(), std::memory_order_relaxed);
  r.is = waiting_record::state::done;
  r.wake.notify_one();
}

void device_choice::observe_on_cores(const observation& o) noexcept {
  const standard_floats own;
  if (o.after_move) return;
  const lock_guard lock(device_.lock());
  rule_.observe_on_cores(o.x, o.cores, o.seconds * o.records, o.records);
  largest_next_.store(rule_.largest_next(), std::memory_order_relaxed);
}

void device_choice::failed_on_cores(double seconds, std::size_t records) noexcept {
  const standard_floats own;
  const lock_guard lock(device_.lock());
  rule_.failed_on_cores(seconds, records);
}

void device_choice::set_lanes(const std::vector<core_set>& lanes, const core_set& shared_cores) {
  std::vector<group_leases::lease> gone;
  {
    const lock_guard lock(device_.lock());
    gone = lanes_.set(run_.cores, lanes, shared_cores);
    lane_count_.store(std::max(1, static_cast<int>(lanes_.count())), std::memory_order_relaxed);
    rule_.set_lanes(lane_count_.load(std::memory_order_relaxed),
                    lanes_.count() ? std::max(1, lanes_.front()->cores.size()) : 1);
    device_.dispatch();
  }
  if (!gone.empty()) run_.cores.ledger().recheck();
}

device_numbers device_choice::read() const {
  const lock_guard lock(device_.lock());
  return rule_.read(run_.life.now());
}

}  // namespace weir::detail
