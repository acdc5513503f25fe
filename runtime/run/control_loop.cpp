#include "runtime/run/control_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "runtime/record/thrown.hpp"
#include "scheduler/expect/flow.hpp"

namespace weir::detail {

namespace {

// How often a step is made. The first follows as soon as anything was observed, since every early decision counts. The
// next ones follow when a quarter more time has passed since that, and in the end so seldom that they cost nothing.
constexpr double first_pause = 1e-3;
constexpr double pause_by_age = 0.25;
constexpr double later_pause = 20e-3;
// CPU budget of the steps, without learning and moves. Usually 0.25 %, unless the run would wait for more than 100 ms
// by that. Up to half of the first steps. Never more than 2 % of the run after the first 4 ms.
constexpr double usual_part = 0.0025;
constexpr double longest_pause = 100e-3;
constexpr double most_at_first = 0.5;
constexpr double most_in_all = 0.02;
constexpr double free_seconds = 4e-3;

constexpr std::size_t most_latencies = 512;  // of a view

constexpr double no_estimate = std::numeric_limits<double>::quiet_NaN();

// To be called in a `catch (...)`: why the policy has no allotment.
std::string why_none() {
  try {
    throw;
  } catch (const std::exception& e) {
    return said_by(e);
  } catch (...) {
    return thrown_by("it");
  }
}

}  // namespace

// `spent` is CPU time: a thread that was kept from its core has spent none meanwhile.
double control_loop::schedule::next(double began, double spent, bool observed) {
  if (!observed) return began + std::max(first_pause, spent / most_at_first);
  if (!since_) since_ = began;
  spent = std::max(0.0, spent);  // also for NaN
  of_all_ += spent;
  const double later = std::clamp(spent / usual_part, later_pause, longest_pause);
  return std::max({began + std::clamp(pause_by_age * (began - *since_), first_pause, later),
                   began + spent / most_at_first, *since_ + (of_all_ - free_seconds) / most_in_all});
}

void control_loop::set_partition(core_set cores) noexcept {
  const lock_guard lock(learning_.lock());
  lease_ = std::move(cores);
  request_step();
}

system_view control_loop::view() const {
  system_view v = learning_.view(input_.sent());
  v.machine = machine_.cores();
  v.cores = lease_;
  v.current = placing_.in_force();
  v.in_force_since = placing_.in_force_since();
  latency_probe::latencies seen = run_.latency.last(most_latencies, followed_at_move_);
  v.left_since_move = seen.followed - followed_at_move_;
  v.latencies = std::move(seen.seconds);
  return v;
}

// Only powers of two are asked for, since each takes a decision; in between the gain is close to linear.
core_gain control_loop::gain(const core_set& all) const {
  system_view v;
  {
    const lock_guard lock(learning_.lock());
    v = learning_.view(input_.sent());
  }
  v.machine = machine_.cores();
  core_gain found;
  try {
    for (int count = 1;; count = std::min(2 * count, all.size())) {
      v.cores = all.part(0, count);
      const double throughput = expected_flow(v, policy_.decide(v), 0).throughput;
      if (!(throughput > 0) || std::isinf(throughput)) return {};
      found.emplace_back(count, throughput);
      if (count == all.size()) return found;
    }
  } catch (...) {  // the policy wants more cores
    stop_forced_unwind();
    return {};
  }
}

std::vector<decision> control_loop::decisions() const {
  const lock_guard lock(deciding_);
  return controller_.decisions();
}

controller::forgotten_decisions control_loop::forgotten_decisions() const {
  const lock_guard lock(deciding_);
  return controller_.forgotten();
}

void control_loop::step() {
  const lock_guard one_at_a_time(stepping_);
  const double began = run_.life.since_start();
  next_at_.store(std::numeric_limits<double>::infinity(), std::memory_order_relaxed);
  double next_step;
  std::uint64_t entered;
  double counted_at;
  system_view v;
  std::optional<allotment> move;
  bool costs_changed;
  {
    const lock_guard lock(learning_.lock());
    learning_.absorb_all();
    const double used_before = run_.platform.usage().cpu_seconds;
    costs_changed = learning_.learn_costs(input_.sent(), run_.latency);
    v = view();
    if (policy_.adapts()) learning_.tell_group_shares(v);
    entered = learning_.entered(input_.sent());
    counted_at = run_.life.since_start();
    move = decide(v);
    if (move) learning_.moved(), followed_at_move_ += v.left_since_move;
    next_step = schedule_.next(began, run_.platform.usage().cpu_seconds - used_before, learning_.has_observed());
  }
  trial_.take(counted_at, entered, placing_.plan(), !run_.placing.is_incomplete(), move.has_value());
  const bool layout_requested = layout_requested_.exchange(false) || schedule_.plans_fusion(began);
  if (move || costs_changed || layout_requested || trial_.choice() != chosen_)
    placing_.apply(move ? &*move : nullptr, learning_.visits(), chosen_ = trial_.choice());
  std::vector<double> utilisation;  // of each component
  double throughput = v.components.empty() ? std::numeric_limits<double>::infinity() : no_estimate;
  if (!v.current.components.empty()) {
    flow expected = expected_flow(v, placing_.in_force(), v.arrival_rate);
    utilisation = std::move(expected.utilisation);
    throughput = expected.throughput;
  }
  expected_throughput_.store(throughput, std::memory_order_relaxed);
  placing_.complete_fusion();
  placing_.configure_regions(learning_.visits(), utilisation, throughput);
  next_at_.store(std::min(next_step, trial_.due()), std::memory_order_relaxed);
  look_at_.store(trial_.look_due(), std::memory_order_relaxed);
}

bool control_loop::look() {
  const lock_guard one_at_a_time(stepping_);
  std::uint64_t entered;
  {
    const lock_guard lock(learning_.lock());
    entered = learning_.entered(input_.sent());
  }
  const bool needs_step = trial_.look(run_.life.since_start(), entered);
  look_at_.store(trial_.look_due(), std::memory_order_relaxed);
  return needs_step;
}

std::optional<allotment> control_loop::decide(system_view& v) {
  if (v.components.empty()) return for_no_components(v);
  const lock_guard lock(deciding_);
  try {
    return controller_.step(v);
  } catch (...) {
    if (!v.current.components.empty()) {
      run_.run.note("the allotment stays as it is, policy " + policy_.name() + " has none: " + why_none());
      return {};
    }
    const core_set all = machine_.permitted();
    if (v.cores == all) throw;
    // Other runs have cores of this machine, and the rest is not enough: takes turns with them on all of it.
    v.cores = all;
    std::optional<allotment> move = controller_.step(v);
    run_.run.note("cores are shared with another run: " + why_none());
    return move;
  }
}

// A network without boxes needs no decision: its threads run on all cores.
std::optional<allotment> control_loop::for_no_components(const system_view& v) const {
  allotment all;
  all.shared = v.cores;
  return all == v.current ? std::nullopt : std::optional(all);
}

}  // namespace weir::detail
