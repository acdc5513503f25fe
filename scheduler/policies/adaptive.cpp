#include <weir/scheduler/policies/adaptive.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <typeinfo>

#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/divide/cores_by_kind.hpp"
#include "scheduler/divide/fewest_cores.hpp"
#include "scheduler/divide/latency.hpp"
#include "scheduler/expect/blocking.hpp"
#include "scheduler/expect/cost_curve.hpp"
#include "scheduler/expect/demand_cost.hpp"
#include "scheduler/expect/interference_times.hpp"
#include "scheduler/expect/kept_curves.hpp"
#include "scheduler/expect/kind_times.hpp"
#include "scheduler/expect/latency_cost.hpp"
#include "scheduler/expect/work_conserving.hpp"
#include "scheduler/place/group_place.hpp"
#include "scheduler/place/kind_placement.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// Records a second under which components run side by side; for the latency of a lone record none do.
double rate_of(const objective& goal) {
  return goal.is_latency() || goal.is_fewest_cores() ? goal.rate() : infinite_seconds;
}

stream_demand demand_of(const objective& goal) { return {goal.rate(), std::chrono::duration<double>(goal.p99())}; }

// Equal shares, each in as many lanes as the box allows. While its times are unknown, a further core in a lane may
// bring nothing, and one in a lane of its own takes another record.
core_counts equal_lanes(const system_view& view, const throughput_options& options) {
  core_counts counts = equal_counts(view);
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    core_counts::entry& e = counts.components[i];
    e.width = std::clamp(e.cores, 1, std::min(view.components[i].max_width, options.max_width));
  }
  return counts;
}

bool takes_several(const component_view& c) { return c.most_together > 1; }

// An invocation that takes several records takes fewer of them in more lanes, so a group of many cores would slow it.
throughput_options options_for(const system_view& view, throughput_options options) {
  if (std::ranges::any_of(view.components, takes_several)) options.wide_group = false;
  return options;
}

// Whether no component can use more cores of its own than as a member of the shared group.
bool gain_nothing_from_own_cores(const system_view& view, const throughput_options& options) {
  return options.wide_group && std::ranges::all_of(view.components, [&](const component_view& c) {
           const share_limits limits = limits_of(c, view.cores.size(), options);
           return is_outside(c) || (c.min_cores < 2 && limits.cores.upper <= limits.shared_lanes);
         });
}

// As many cores as they can use run any component: none is idle while a record waits, whatever the components cost.
core_counts all_shared(const system_view& view, const throughput_options& options) {
  core_counts counts;
  counts.components.resize(view.components.size());
  const int present = view.cores.size();
  for (const component_view& c : view.components)
    if (!is_outside(c)) counts.shared = std::min(present, counts.shared + limits_of(c, present, options).shared_lanes);
  return counts;
}

}  // namespace

adaptive::adaptive(objective goal, throughput_options options) : goal_(goal), options_(options) { options_.validate(); }

std::unique_ptr<const allocation_rule> adaptive::keeping() const {
  if (is_derived()) return nullptr;
  auto copy = std::make_unique<adaptive>(*this);
  copy->kept_ = std::make_shared<kept_curves>(options_);
  return copy;
}

bool adaptive::is_best(const system_view& view, const allotment& given) const {
  return !is_derived() && !view.interference && goal_ == objective::throughput && options_.wide_group &&
         is_work_conserving(view, given);
}

// Whether it is another rule, whose answers may differ.
bool adaptive::is_derived() const { return typeid(*this) != typeid(adaptive); }

core_counts adaptive::counts_of_all(const system_view& view) const {
  const throughput_options options = options_for(view, options_);
  if (!kept_ || options.wide_group != options_.wide_group || view.components.empty() ||
      std::any_of(view.components.begin(), view.components.end(), is_outside))
    return throughput_counts(view, options);
  require_minima(view);
  return throughput_counts(view, options_, kept_->curves(view));
}

// The counts for components that do not run inline, then the others as members of the shared group.
core_counts adaptive::counts_beside_inline(const system_view& view) const {
  const auto is_inline = [](const component_view& c) { return c.runs_inline && !is_outside(c); };
  if (std::none_of(view.components.begin(), view.components.end(), is_inline)) return counts_of_all(view);
  system_view others = view;
  std::erase_if(others.components, is_inline);
  const core_counts some = throughput_counts(others, options_for(view, options_));
  core_counts all{{}, some.shared, -1};
  auto next = some.components.begin();
  for (const component_view& c : view.components)
    all.components.push_back(is_inline(c) ? core_counts::entry{} : *next++);
  const auto owned = [&] {
    int sum = 0;
    for (const core_counts::entry& e : all.components) sum += e.cores;
    return sum;
  };
  // Inline components still need a place for the time before records are delivered to them: idle cores, else a host.
  if (some.host >= 0 || all.shared == 0) {
    const auto outside = std::count_if(view.components.begin(), view.components.end(), is_outside);
    const int most = static_cast<int>(view.components.size()) - static_cast<int>(outside);
    all.shared = std::max(0, std::min(view.cores.size() - owned(), most));
    if (all.shared == 0) all.host = largest_owner(all);
  }
  return all;
}

core_counts adaptive::counts(const system_view& view) const {
  if (!all_observed(view)) {
    const bool is_lone = goal_.is_latency() && goal_.rate() == 0;  // a lone record shares cores with none
    if (!is_lone && gain_nothing_from_own_cores(view, options_for(view, options_))) return all_shared(view, options_);
    return goal_.is_latency() || goal_.is_fewest_cores() ? equal_counts(view) : equal_lanes(view, options_);
  }
  if (goal_.is_fewest_cores()) return fewest_cores_counts(view, demand_of(goal_), options_for(view, options_));
  return goal_.is_latency() ? latency_counts(view, goal_.rate(), options_for(view, options_))
                            : counts_beside_inline(view);
}

allotment adaptive::decide(const system_view& view) const {
  const bool interferes = view.interference && !is_derived() && all_observed(view);
  return interferes && !view.current.components.empty() ? decide_under_pressure(view) : decide_alone(view);
}

// Numbers of cores follow from slowdowns, and these from the numbers: in turns, as for kinds. Cores that do not help
// the slowest component may slow it down, so answers without them are tried, too.
allotment adaptive::decide_under_pressure(const system_view& view) const {
  constexpr int turns = 3;
  allotment best;
  double least = infinite_seconds;
  adaptive sparing = *this;
  sparing.kept_ = nullptr;
  sparing.options_.leximin = false;
  for (const adaptive* const rule : {this, static_cast<const adaptive*>(&sparing)}) {
    system_view assumed = view;
    for (int turn = 0; turn < turns; ++turn) {
      allotment to = rule->decide_alone(assumed);
      const double cost = assess(view, to).cost;
      assumed = under_pressure_of(view, to, rate_of(goal_));
      if (best.components.empty() || cost < least * (1 - relative_rounding)) least = cost, best = std::move(to);
    }
  }
  return best;
}

allotment adaptive::decide_alone(const system_view& view) const {
  return has_kinds(view) && all_observed(view) ? decide_on_kinds(view) : place(counts(view), view);
}

// A large group runs on cores of all kinds, which may cost more than sharing saves. So a small one is tried, too.
allotment adaptive::decide_on_kinds(const system_view& view) const {
  const kind_answer large = in_turns(view);
  if (goal_.is_latency() || goal_.is_fewest_cores() || !options_.wide_group || is_derived()) return large.given;
  adaptive narrow(goal_, options_);
  narrow.options_.wide_group = false;
  const kind_answer small = narrow.in_turns(view);
  return small.cost < large.cost * (1 - relative_rounding) ? small.given : large.given;
}

// Numbers of cores follow from the speed of those that each component has, and these from the numbers: in turns, until
// one follows from the other. The best of the turns is the answer.
adaptive::kind_answer adaptive::in_turns(const system_view& view) const {
  constexpr int turns = 4;  // two or three mostly suffice
  std::vector<allotment> seen;
  kind_answer best;
  system_view assumed = on_mean_cores(view);
  for (int turn = 0; turn < turns; ++turn) {
    core_counts given = counts(assumed);
    const group_place group = place_of_group(given, view);
    given.shared = group.cores;
    given.host = group.host;
    allotment to = place_by_kind(given, by_kind(given, view, goal_.is_latency()), view);
    if (std::ranges::find(seen, to) != seen.end()) break;
    const double cost = assess(view, to).cost;
    if (turn == 0 || cost < best.cost * (1 - relative_rounding)) best = {to, cost};
    assumed = on_its_cores(view, to);
    seen.push_back(std::move(to));
  }
  return best;
}

assessment adaptive::assess(const system_view& view, const allotment& given) const {
  if (view.interference && all_observed(view)) {
    const system_view there = under_pressure_of(view, given, rate_of(goal_));
    return assess_times(on_its_cores(there, given), given);
  }
  return has_kinds(view) ? assess_times(on_its_cores(view, given), given) : assess_times(view, given);
}

// By the times of the view, whatever kinds the cores are of.
assessment adaptive::assess_times(const system_view& view, const allotment& given) const {
  std::vector<component_times> made;
  std::vector<component_times>& times = kept_ ? kept_->times(view) : made = times_of(view);
  const core_counts counts = counts_of(given);
  assessment result = by_bottleneck(expected_times(counts, times));
  if (goal_.is_latency()) {
    const record_paths paths(view);
    const flow now = expected_flow(view, counts, goal_.rate(), paths, times);
    result.cost = latency_cost(view, counts, now, goal_.rate(), paths, times);
    // An allotment that cannot keep up has a bottleneck, not a latency.
    if (goal_.rate() <= busiest * now.throughput) result.critical = now.longest;
  } else if (goal_.is_fewest_cores()) {
    const demand_check checked = check_demand(view, counts, demand_of(goal_), record_paths(view), times);
    result.cost = checked.cost;
    result.cores = checked.cores;
    result.p99 = checked.p99;
    result.p99_demanded = goal_.p99();
    if (checked.is_late) result.critical = checked.longest;
  } else if (options_.blocking) {
    result.cost = cost_with_blocking(counts, times);
  }
  return result;
}

std::string adaptive::words(const assessment& of) const {
  if (goal_.is_fewest_cores()) {
    const double load = 100 * goal_.rate() * of.bottleneck;
    const std::string text =
        std::to_string(of.cores) + (of.cores == 1 ? " core " : " cores ") + in_places(load, 0) + " % busy";
    return std::isfinite(goal_.p99()) ? text + " with p99 " + in_digits(of.p99 * 1e3, 3) + " ms" : text;
  }
  return goal_.is_latency() && of.cost != of.bottleneck ? in_digits(of.cost * 1e3, 3) + " ms to pass" : "";
}

}  // namespace weir
