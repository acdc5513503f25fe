#include "scheduler/control/controller.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <weir/scheduler/divide/throughput.hpp>
#include "model/number_text.hpp"
#include "scheduler/control/indexing.hpp"
#include "scheduler/expect/interference_times.hpp"

namespace weir {
namespace {

// A component that runs inline and owns cores, or -1.
int inline_owner(const system_view& view) {
  for (int i = 0; i < static_cast<int>(view.components.size()); ++i)
    if (at(view, i).runs_inline && !at(view.current, i).cores.empty()) return i;
  return -1;
}

// The view by the inputs of records that wait, where these are unlike those before.
std::optional<system_view> with_next_inputs(const system_view& view) {
  const auto changes = [](const component_view& c) { return !c.next_inputs.empty(); };
  if (std::ranges::none_of(view.components, changes)) return {};
  system_view ahead = view;
  for (component_view& c : ahead.components)
    if (changes(c)) c.inputs = c.next_inputs, c.inputs_seen = c.next_inputs_seen;
  return ahead;
}

// Whether throughput counts before a demand on latency, while records wait outside. With a p99 it does where more than
// one in a hundred is later. Without one it does for a record alone, and where half as many again arrive as announced
// and the allotment in force cannot keep up. The latest arrivals scatter about the announced rate.
bool has_backlog(const system_view& view, const objective& goal, const assessment& now) {
  constexpr double another = 1.5;
  if (!is_full(view)) return false;
  if (const double rate = view.arrival_rate; std::isinf(now.p99_demanded))
    return goal.rate() == 0 || (rate > another * goal.rate() && rate * now.bottleneck > 1);
  const auto late = std::ranges::count_if(view.latencies, [&](double seconds) { return seconds > now.p99_demanded; });
  return 100 * static_cast<std::size_t>(late) > view.latencies.size();
}

// "; memory lets 3 invocations of decode run at a time", for each component that a resource limits.
std::string words_of_limits(const system_view& view) {
  std::string text;
  for (const component_view& c : view.components)
    if (!c.limited_by.empty())
      text += "; " + c.limited_by + " lets " + std::to_string(c.max_width) +
              (c.max_width == 1 ? " invocation of " : " invocations of ") + c.name + " run at a time";
  return text;
}

// "; its neighbours slow solve down by 31 %, by 8 % after the move", for the component that they slow down most.
std::string words_of_neighbours(const system_view& view, const allotment& to) {
  constexpr double notable = 0.02;  // less is not worth words
  constexpr double full = std::numeric_limits<double>::infinity();
  if (!view.interference) return {};
  const std::vector<double> now = slowdowns(view, view.current, full);
  const auto most = std::ranges::max_element(now);
  if (!(*most > 1 + notable)) return {};
  const auto slowed = static_cast<int>(most - now.begin());
  const double then = slowdowns(under_pressure_of(view, to, full), to, full)[static_cast<std::size_t>(slowed)];
  const auto percent = [](double factor) { return in_places(100 * (factor - 1), 0) + " %"; };
  return "; its neighbours slow " + at(view, slowed).name + " down by " + percent(*most) + ", by " + percent(then) +
         " after the move";
}

// The critical component, or, for the shared group, the member with the most seconds.
int reference_component(const allotment& given, const assessment& now) {
  if (now.critical >= 0) return now.critical;
  int largest = 0;
  for (int i = 0; i < static_cast<int>(given.components.size()); ++i)
    if (at(given, i).is_member() && (!at(given, largest).is_member() || now.seconds_of(i) > now.seconds_of(largest)))
      largest = i;
  return largest;
}

// Seconds: as measured, else as configured.
double cost_of_a_move(const system_view& view, const controller_options& options) {
  return view.move_cost > 0 ? view.move_cost : options.move_cost;
}

// One standard error of a component's mean time, relative to that mean, by the spread of its model.
double relative_noise(const system_view& view, int component) {
  constexpr std::uint64_t most = 64;
  const component_view& c = at(view, component);
  if (c.recent.empty()) return 0;
  const std::array inputs{typical_input{c.recent.back().x, 1}};
  const auto [mean, square] = c.model->moments(inputs, cores_of_invocation(at(view.current, component)));
  const double one = mean > 0 ? std::sqrt(std::max(square / (mean * mean) - 1, 0.0)) : 0;
  return one / std::sqrt(static_cast<double>(std::clamp<std::uint64_t>(c.invocations_since_move, 1, most)));
}

// Measured over expected seconds of a component on the allotment in force, by sums and by its model as it is now. 1
// without invocations.
double ratio_since_move(const component_view& c) {
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(c.recent.size(), c.invocations_since_move));
  double measured = 0, expected = 0;
  for (auto s = c.recent.end() - n; s != c.recent.end(); ++s) {
    measured += s->seconds;
    expected += c.model->mean(s->x, s->cores) * c.time_factor;
  }
  return measured > 0 && expected > 0 ? measured / expected : 1;
}

// Latency near saturation is steep, so a few percent of doubt about times promise much of a trial. Doubts come back
// while other allotments are in force. So trials have a budget: the first ones, and then this part of the records.
constexpr double free_trials = 8, most_in_trials = 0.02;
constexpr std::string_view words_of_a_trial = "exploring: ";

// Records that reached a component or passed it by.
double records_of(const component_view& c) { return c.visits > 0 ? static_cast<double>(c.invocations) / c.visits : 0; }

// A component that a part of the records reach counts as reached by one more than were seen (Laplace's rule of
// succession). The first few say little of how many will come.
void expect_another_visit(system_view& view) {
  for (component_view& c : view.components)
    if (c.visits > 0 && c.visits < 1)
      c.visits *= 1 + (1 - c.visits) / std::max(1.0, static_cast<double>(c.invocations + c.queue_length));
}

double mean_of(const std::vector<random_costs::random_cost>& of) {
  double sum = 0;
  for (const random_costs::random_cost& c : of) sum += c.cost;
  return sum / static_cast<double>(of.size());
}

}  // namespace

controller::controller(policy rule, controller_options options)
    : rules_{rule.keeping(), rule.keeping()}, options_(options) {
  options_.validate();
}

// p99: seconds, by the models (assessment::p99); 0: not asked for.
allotment controller::decided(const system_view& view, allotment to, std::string why, double gain, double p99) {
  if (why.starts_with(words_of_a_trial)) ++trials_;
  log_.add({view.time, view.current, to, std::move(why), gain, std::nullopt, false, rules_.here.goal()});
  if (p99 > 0) log_.last().predicted_p99 = p99;
  cores_ = view.cores;
  in_force_ = {};
  return to;
}

bool controller::is_complete(const system_view& view) const {
  return all_observed(view) && std::ranges::none_of(view.components, [&](const component_view& c) {
           return is_unknown(c) && c.invocations < static_cast<std::uint64_t>(options_.settle_after);
         });
}

// Whether some component was never invoked while the stream is too young to say that no record reaches it. To take its
// cores then costs much when one does.
bool controller::may_reach_others(const system_view& view) const {
  std::uint64_t most = 0, least = std::numeric_limits<std::uint64_t>::max();
  for (const component_view& c : view.components) {
    most = std::max(most, c.invocations);
    least = std::min(least, c.invocations);
  }
  return least == 0 && most < static_cast<std::uint64_t>(options_.settle_after);
}

std::optional<allotment> controller::step(const system_view& seen) try {
  const std::optional<system_view> ahead = options_.look_ahead ? with_next_inputs(seen) : std::nullopt;
  const system_view& view = ahead ? *ahead : seen;
  log_.write_words(rules_.here);
  if (log_.list().empty() || view.cores != cores_ || view.current.components.size() != view.components.size()) {
    allotment to = decide_anew(view);
    if (to == view.current) return std::nullopt;
    return to;
  }
  assert(view.current == log_.last().to || view.current == log_.last().from);
  if (!rules_.here.adapts() || view.components.empty() || !all_observed(view)) return std::nullopt;
  if (may_reach_others(view)) return std::nullopt;
  if (rules_.here.decides_once()) return decide_once(view);
  history_.take(view, options_.look_ahead);
  times_.take(view);
  if (auto freed = evict_inline_owner(view)) return freed;

  const assessment now = rules_.here.assess(view, view.current);
  if (std::isfinite(now.p99_demanded)) late_.take(view, now.p99_demanded);
  if (late_.factor() == 1) return choose(view, now);
  system_view slower = view;
  for (component_view& c : slower.components) c.time_factor *= late_.factor();
  return choose(slower, rules_.here.assess(slower, slower.current));
} catch (...) {
  times_.clear();  // they may know a part of this step only
  history_.clear();
  throw;
}

allotment controller::decide_anew(const system_view& view) {
  times_.clear();
  sharing_.clear();
  history_.clear();
  late_ = {};
  was_complete_ = is_complete(view);
  const bool is_first = log_.list().empty();
  const std::string cores = "the run may now use cores " + to_string(view.cores);
  return decided(view, rules_.here.decide(view), is_first ? rules_.here.name() + " to start with" : cores, 0);
}

std::optional<allotment> controller::decide_once(const system_view& view) {
  if (was_complete_ || !is_complete(view)) return std::nullopt;
  was_complete_ = true;
  allotment to = rules_.here.decide(view);
  if (to == view.current) return std::nullopt;
  const assessment then = rules_.here.assess(view, to);
  const double gain = rules_.here.assess(view, view.current).cost / then.cost - 1;
  return decided(view, std::move(to), "every model is known: this division stays", gain, then.p99);
}

std::optional<allotment> controller::evict_inline_owner(const system_view& view) {
  const int owner = inline_owner(view);
  if (owner < 0) return std::nullopt;
  return decided(view, rules_.here.decide(view), at(view, owner).name + " takes less than a hand-over: it runs inline",
                 0);
}

// The gain of the last move as measured, on the same inputs, by the models and what times were since.
void controller::measure_last(const system_view& view) {
  if (in_force_.is_measured || view.current != log_.last().to) return;
  in_force_.is_measured = true;
  decision& last = log_.last();
  system_view since = view;
  since.current = last.from;
  const double before = rules_.aside.assess(since, last.from).cost;
  since.current = last.to;
  for (component_view& c : since.components) c.time_factor *= ratio_since_move(c);
  const assessment measured = rules_.aside.assess(since, last.to);
  last.realised_gain = before / measured.cost - 1;
  if (measured.p99 > 0) last.realised_p99 = measured.p99;
}

// Whether rule 5 is asked: half as many invocations after the last time as there were then, `ask_every` at most.
bool controller::is_due(const system_view& view, int reference) {
  const component_view& c = at(view, reference);
  const std::uint64_t run = c.invocations_since_move;
  const bool was_unknown = run == c.invocations && log_.list().size() > 1;  // cores were divided without it
  if (run < (was_unknown ? 1 : static_cast<std::uint64_t>(options_.early_patience))) return false;
  if (in_force_.asked_for == reference && c.next_inputs.empty() && c.invocations < in_force_.ask_at) return false;
  in_force_.asked_for = reference;
  in_force_.ask_at =
      c.invocations + std::clamp<std::uint64_t>(run / 2, 1, static_cast<std::uint64_t>(options_.ask_every));
  return true;
}

// The allotment in force first, then what was proposed, then the last ones that were in force.
std::vector<allotment> controller::candidates(const system_view& view, const std::vector<allotment>& proposed) const {
  constexpr int most_past = 8;
  std::vector<allotment> all{view.current};
  const auto add = [&](const allotment& other) {
    if (std::ranges::find(all, other) == all.end() && check(other, view.cores).empty()) all.push_back(other);
  };
  std::ranges::for_each(proposed, add);
  int past = 0;
  for (auto d = log_.list().rbegin(); options_.by_draws && d != log_.list().rend() && past < most_past; ++d, ++past)
    if (d->to.components.size() == view.components.size()) add(d->to);
  return all;
}

std::optional<controller::weighed> controller::best_of(const std::vector<allotment>& candidates,
                                                       const random_costs& costs, const system_view& view,
                                                       int reference) const {
  const component_view& c = at(view, reference);
  const double steady = c.visits > 0 ? static_cast<double>(c.inputs_seen) / c.visits : 0;
  const double tried = options_.trial, move = cost_of_a_move(view, options_);
  const double horizon = std::max(std::min(std::max(steady, options_.least_horizon), options_.horizon), tried + 1),
               rest = horizon - tried;
  const std::vector<random_costs::random_cost> stay = costs.costs(candidates.front());
  const double least_gain = options_.min_gain + options_.noise_weight * relative_noise(view, reference);
  double least = horizon * mean_of(stay) * (1 - least_gain);
  const bool may_try = trials_ < free_trials + most_in_trials * records_of(c) / tried;
  std::optional<weighed> best;
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    const std::vector<random_costs::random_cost> there = costs.costs(candidates[k]);
    double trial = 0, better = 0, hope = 0;
    for (std::size_t d = 0; d < there.size(); ++d) {
      const double part = 1 / static_cast<double>(there.size());
      trial += part * std::min(there[d].cost, stay[d].cost + tried * there[d].bottleneck);
      better += part * std::min(there[d].cost, stay[d].cost + move / rest);
      hope += part * std::max(0.0, stay[d].cost / there[d].cost - 1);
    }
    const double value = may_try ? move + tried * trial + rest * better : move + horizon * mean_of(there);
    if (!(value < least)) continue;
    least = value;
    best = weighed{candidates[k], mean_of(stay) / mean_of(there) - 1, hope};
  }
  return best;
}

// The allotment for all that is remembered, where the stream swings faster than cores can follow it. By the models of
// now a move may be right and yet come too late each time. So the allotments of the past, and two for the work of the
// whole history, are candidates for the whole of it.
std::optional<controller::compromise> controller::for_swings(const system_view& view, const allotment& best) const {
  if (!options_.remember) return {};
  constexpr std::size_t most_known = 8;
  std::vector<allotment> all = candidates(view, {best});
  if (all.size() > most_known) all.resize(most_known);
  const double move = cost_of_a_move(view, options_);
  // The known ones alone tell whether the stream swings. Only then are others found, which takes longer.
  if (!history_.beats_following(view, rules_.here, all, move, in_force_.is_compromise)) return {};
  for (const system_view& other : {history_.with_mean_work(view), history_.with_largest_work(view)})
    if (allotment to = rules_.aside.decide(other); std::ranges::find(all, to) == all.end())
      all.push_back(std::move(to));
  const auto found = history_.beats_following(view, rules_.here, all, move, in_force_.is_compromise);
  if (!found) return {};
  const double now = found->costs.front(), gain = now / found->costs[found->index] - 1;
  const bool pays = gain > options_.min_gain && gain * options_.least_horizon * now > move;
  return compromise{pays ? all[found->index] : view.current, gain};
}

std::optional<allotment> controller::choose(const system_view& view, const assessment& now) {
  const int reference = reference_component(view.current, now);
  if (at(view, reference).invocations_since_move >= static_cast<std::uint64_t>(options_.patience)) measure_last(view);
  if (!is_due(view, reference)) return {};
  const bool is_for_throughput = rules_.here.goal() == objective::throughput;
  // A move to such an allotment may still be taken back, by what was measured since.
  const bool has_moved = log_.last().predicted_gain != 0;
  if (!has_moved && rules_.here.is_best(view, view.current)) {
    sharing_.skip();
    return {};
  }
  system_view bare = without_samples(view, rules_.here);
  expect_another_visit(bare);
  const random_costs costs(bare, options_.by_draws ? times_.beliefs(view) : std::vector<residual_belief>{},
                           rules_.aside, sharing_, !is_for_throughput && has_backlog(view, rules_.here.goal(), now));
  const assessment likely = costs.likely(view.current);
  // For a latency a stream arrives at a rate, and is seldom as fast as its allotment.
  if (options_.by_draws && !rules_.here.goal().is_latency())
    sharing_.take(view, reference, is_for_throughput ? likely.cost : likely.bottleneck);

  std::optional<weighed> best = best_of(candidates(view, costs.proposed(rounds_++)), costs, view, reference);
  if (!best) return {};
  if (const auto swings = for_swings(costs.believed(), best->to)) {
    if (swings->to == view.current) return {};
    allotment to = decided(
        view, swings->to, "the stream swings faster than cores can follow: this is better for all of it", swings->gain);
    log_.last().goal = objective::throughput;  // the memory compares bottlenecks, whatever the rule minimises
    in_force_.is_compromise = true;
    return to;
  }
  return moved(view, *std::move(best), likely, costs, reference);
}

// Carries out a move for which a comparison was won, and says why.
allotment controller::moved(const system_view& view, weighed best, const assessment& now, const random_costs& costs,
                            int reference) {
  measure_last(view);
  decision& last = log_.last();
  const bool is_back = best.to == last.from && last.realised_gain && *last.realised_gain < 0;
  const bool is_trial = !(best.gain > options_.min_gain);
  std::string why;
  if (is_back) {
    last.reverted = true;
    why = "taken back: the last move gave " + realised_words(last);
  } else if (is_trial) {
    why = std::string(words_of_a_trial) + at(view, reference).name +
          " counts most, and may be faster by what its model does not know" + words_of_neighbours(view, best.to);
  }
  assessment then = costs.likely(best.to);
  allotment to = decided(view, std::move(best.to), std::move(why), is_trial ? best.hope : best.gain, then.p99);
  in_force_.is_measured = false;
  if (!is_back && !is_trial) {
    const int named = now.critical < 0 ? now.heaviest : now.critical;
    log_.explain_last({now, std::move(then), named < 0 ? "" : at(view, named).name, late_.factor(),
                       words_of_limits(view) + words_of_neighbours(view, log_.last().to)});
  }
  return to;
}

}  // namespace weir
