#include "scheduler/simulate/hindsight.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/expect/expectation.hpp"
#include "scheduler/expect/kind_times.hpp"
#include "scheduler/simulate/fixed_search.hpp"
#include "scheduler/simulate/slow_periods.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir::simulation {
namespace {

constexpr double norms[] = {4, 12, 64};
constexpr std::uint64_t most_simulated = 20'000;  // records: a run takes some 20 ms, and there may be many
constexpr double worth_a_run = 1.2;               // of the least expected time; simulated times err less
constexpr std::size_t most_ranged = 8;  // phases; with more, ranges are single phases and all: 36 searches suffice

// The true mean time over x, as a model that learns nothing.
class known_mean final : public estimator {
 public:
  // `slower`: the factor of slow-downs.
  known_mean(const simulated_component& c, std::size_t phase, int cores, double slower)
      : means_(static_cast<std::size_t>(cores) + 1) {
    const simulated_component::phase& in = c.in(phase);
    const std::vector<double> inputs = sampled(in.x);  // exact to 1e-4 for a cubic over two decades
    for (int p = 1; p <= cores; ++p) {
      double sum = 0;
      for (const double x : inputs) sum += c.cost(x, p);
      const double mean = sum / static_cast<double>(inputs.size()) * in.factor * c.late.mean_factor() * slower;
      if (!is_time(mean)) (void)c.time_of(in.x.at(0.5), p, in);  // names the fault, where one of its times is
      require(is_time(mean), "component \"" + c.name + "\" takes " + in_digits(mean) + " s in the mean on " +
                                 std::to_string(p) + (p == 1 ? " core" : " cores") + ", expected was " +
                                 in_digits(least_time) + " to " + in_digits(most_time) + " s");
      means_[static_cast<std::size_t>(p)] = mean;
    }
    described_.estimator = "known";
    described_.alpha_known = true;
    described_.observations = 1;
    described_.smallest_cores = 1;
    described_.largest_cores = cores;
    described_.smallest_x = described_.largest_x = 1;
  }

  void observe(const observation&) override {}
  prediction predict(double, int cores) const override {
    prediction p;
    p.mean = means_[std::min(static_cast<std::size_t>(cores), means_.size() - 1)];
    p.sequential = means_[1];
    p.confidence = 1;
    return p;
  }
  description describe() const override { return described_; }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<known_mean>(*this); }
  std::vector<double> state() const override { return means_; }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  std::vector<double> means_;  // by cores
  description described_;
};

// The part of a component's records that cores do, where its device and its lanes are always busy. It has an even part
// of the cores, in lanes of one core.
double usual_part_on_cores(const scenario& of, std::size_t component, std::size_t phase) {
  const simulated_component& c = of.components[component];
  if (!c.second) return 1;
  const simulated_component::phase& in = c.in(phase);
  const int slots = of.devices[to_index(c.second->device)].slots;
  const std::vector<double>& factors = c.second->slot_factors;
  const double factor = factors.empty() ? 1 : factors[std::min(to_index(slots), factors.size()) - 1];
  double on_cores = 0, on_device = 0, above = 0, all = 0;
  for (const double x : sampled(in.x, 64)) {
    on_cores += c.cost(x, 1);
    on_device += c.second->cost(x, 1) * factor;
    above += c.second->from && x >= *c.second->from ? 1 : 0;
    all += 1;
  }
  constexpr double least = 1.0 / 64;  // as in a run
  if (c.second->from) return std::max(least, 1 - above / all);
  const double lanes =
      std::max(1.0, static_cast<double>(of.cores_in(phase)) / static_cast<double>(of.components.size()));
  const double by_cores = lanes / on_cores, by_device = slots / on_device;
  return std::max(least, by_cores / (by_cores + by_device));
}

// The candidate for each phase that gives the least expected time, moves included.
std::vector<std::size_t> cheapest_way(const std::vector<std::vector<double>>& seconds, double move_cost) {
  const std::size_t phases = seconds.size(), n = seconds[0].size();
  std::vector<std::vector<std::size_t>> from(phases, std::vector<std::size_t>(n));
  std::vector<double> least = seconds[0];
  for (std::size_t j = 1; j < phases; ++j) {
    const auto best = static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
    std::vector<double> next(n);
    for (std::size_t a = 0; a < n; ++a) {
      const bool stays = least[a] <= least[best] + move_cost;
      from[j][a] = stays ? a : best;
      next[a] = (stays ? least[a] : least[best] + move_cost) + seconds[j][a];
    }
    least = std::move(next);
  }
  std::vector<std::size_t> way(phases);
  way.back() = static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
  for (std::size_t j = phases - 1; j > 0; --j) way[j - 1] = from[j][way[j]];
  return way;
}

// Where the cores change, the move cannot wait until the phase before has left.
std::vector<planned_move> planned(const scenario& of, const std::vector<allotment>& candidates,
                                  const std::vector<std::size_t>& way, bool when_left) {
  std::vector<planned_move> plan{{0, false, candidates[way[0]]}};
  for (std::size_t j = 1; j < way.size(); ++j)
    if (way[j] != way[j - 1])
      plan.push_back({of.phase_starts[j], when_left && of.cores_in(j) == of.cores_in(j - 1), candidates[way[j]]});
  return plan;
}

// The norm of fixed_search.hpp.
double normed(const expectation& e, const allotment& a, double norm) {
  if (!(e.bottleneck > 0)) return 0;
  double sum = e.shared > 0 ? std::pow(e.shared / e.bottleneck, norm) : 0;
  for (std::size_t i = 0; i < a.components.size(); ++i)
    if (!a.components[i].is_member()) sum += std::pow(e.seconds[i] / e.bottleneck, norm);
  return e.bottleneck * std::pow(sum, 1 / norm);
}

// Cores, and more where a run did not meet the demand that another met.
double cores_paid(const objective& goal, const simulated_result& of, double throughput_of_other) {
  constexpr double as_fast = 0.98;
  return of.cores_used * std::max(1.0, of.latency_p99 / goal.p99()) *
         std::max(1.0, as_fast * throughput_of_other / of.throughput);
}

// Whether run `a` is better than run `b`. A stream that is not saturated leaves as fast as it comes, whatever the
// allotment. If throughputs then differ by less than a thousandth, the latency decides.
bool is_better(const scenario& of, const objective& goal, const simulated_result& a, const simulated_result& b) {
  if (goal != objective::throughput) return advantage(goal, a, b) > 1;
  const bool tie = std::abs(a.throughput - b.throughput) < 1e-3 * b.throughput;
  if (of.coming.how != arrivals::kind::closed && tie) return a.latency_mean < b.latency_mean;
  return a.throughput > b.throughput;
}

// The phases with each number of cores, by their first.
std::vector<std::vector<std::size_t>> phases_by_cores(const scenario& of) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t j = 0; j < of.phase_starts.size(); ++j) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const auto& p) { return of.cores_in(p[0]) == of.cores_in(j); });
    if (same == all.end())
      all.push_back({j});
    else
      same->push_back(j);
  }
  return all;
}

// The sets of phases that candidates are searched for: the contiguous ranges with equal cores, and all phases with a
// number of cores.
std::vector<std::vector<std::size_t>> phases_to_search(const scenario& of) {
  const std::size_t phases = of.phase_starts.size();
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t from = 0; from < phases; ++from) {
    std::vector<std::size_t> range;
    for (std::size_t to = from; to < phases && of.cores_in(to) == of.cores_in(from); ++to) {
      range.push_back(to);
      const bool is_whole = from == 0 && to + 1 == phases;
      if (phases <= most_ranged || from == to || is_whole) all.push_back(range);
    }
  }
  for (const std::vector<std::size_t>& same : phases_by_cores(of))
    if (std::find(all.begin(), all.end(), same) == all.end()) all.push_back(same);
  return all;
}

using seconds_of_phases = std::vector<std::vector<double>>;  // by phase and candidate; infinite: it has too few cores

// The allotments from which a hindsight is chosen.
class candidates_of {
 public:
  candidates_of(const scenario& of, const objective& goal) : of_(of), goal_(goal), views_(known_views(of)) {
    for (const std::vector<std::size_t>& same : phases_by_cores(of)) add(equal_shares{}.decide(views_[same[0]]));
    // For each norm, since expected times lack some effects of the simulation.
    const std::size_t kept_each = of.records <= most_simulated ? 6 : 2;
    for (const std::vector<std::size_t>& set : phases_to_search(of)) {
      std::vector<system_view> some;
      std::vector<double> weights;
      for (std::size_t j : set) {
        some.push_back(views_[j]);
        weights.push_back(records_in(j));
      }
      for (double norm : norms)
        for (const fixed_choice& choice : best_fixed_counts(some, weights, norm, kept_each))
          add(place(choice.counts, some[0]));
    }
    if (has_kinds(views_[0])) add_for_kinds();
    if (goal == objective::throughput) return;
    for (const system_view& view : views_) asked_.push_back(add(adaptive{goal}.decide(view)));
    if (goal.is_fewest_cores()) add_for_other_demands();
  }

  const std::vector<allotment>& all() const { return all_; }

  // The decisions of the adaptive rule for each phase; empty for throughput.
  const std::vector<std::size_t>& asked() const { return asked_; }

  // Expected seconds of each phase by each norm.
  std::vector<seconds_of_phases> seconds() const {
    std::vector<seconds_of_phases> by_norm(std::size(norms), seconds_of_phases(views_.size()));
    for (std::size_t j = 0; j < views_.size(); ++j)
      for (const allotment& a : all_) {
        const bool fits = check(a, views_[j].cores).empty();
        const expectation e = fits ? expected_times(views_[j], a) : expectation{};
        for (std::size_t m = 0; m < by_norm.size(); ++m)
          by_norm[m][j].push_back(fits ? records_in(j) * normed(e, a, norms[m]) : infinite_seconds);
      }
    return by_norm;
  }

  // The candidates that are worth a run in phases that take these seconds.
  std::vector<std::size_t> worth_running(const std::vector<std::size_t>& phases,
                                         const seconds_of_phases& seconds) const {
    std::vector<double> whole(all_.size(), 0);
    for (std::size_t j : phases)
      for (std::size_t a = 0; a < whole.size(); ++a) whole[a] += seconds[j][a];
    const double limit = worth_a_run * *std::min_element(whole.begin(), whole.end());
    std::vector<std::size_t> worth;
    for (std::size_t a = 0; a < whole.size(); ++a)
      if (whole[a] <= limit || (std::isfinite(whole[a]) && is_asked(a))) worth.push_back(a);
    return worth;
  }

 private:
  double records_in(std::size_t phase) const { return static_cast<double>(of_.records_in(phase)); }

  bool is_asked(std::size_t a) const {
    return a >= first_for_others_ || std::find(asked_.begin(), asked_.end(), a) != asked_.end();
  }

  // The rule keeps margins, and its queues are not those of the simulation: a little more or less may be better.
  void add_for_other_demands() {
    first_for_others_ = all_.size();
    for (double rate : {0.85, 0.95, 1.0, 1.1, 1.25})
      for (double p99 : {0.7, 1.0, 1.25, 2.0})
        for (const system_view& view : views_)
          add(adaptive{objective::fewest_cores({goal_.rate() * rate, std::chrono::duration<double>(goal_.p99() * p99)})}
                  .decide(view));
  }

  // The search knows numbers of cores. Which of them are fast is for the rule to say.
  void add_for_kinds() {
    for (const system_view& view : views_) add(adaptive{}.decide(view));
  }

  std::size_t add(const allotment& one) {
    const auto known = std::find(all_.begin(), all_.end(), one);
    if (known != all_.end()) return static_cast<std::size_t>(known - all_.begin());
    all_.push_back(one);
    return all_.size() - 1;
  }

  const scenario& of_;
  objective goal_;
  std::vector<system_view> views_;
  std::vector<allotment> all_;
  std::vector<std::size_t> asked_;
  std::size_t first_for_others_ = std::numeric_limits<std::size_t>::max();  // of all_; from there on, all are asked
};

// One allotment for each number of cores (hindsight.hpp).
hindsight best_kept(const scenario& of, std::uint64_t seed, int rows, const objective& goal,
                    const candidates_of& candidates, const seconds_of_phases& seconds) {
  const std::vector<std::vector<std::size_t>> by_cores = phases_by_cores(of);
  std::vector<std::vector<std::size_t>> worth;
  std::vector<std::size_t> way(of.phase_starts.size());  // the candidate of each phase
  for (const std::vector<std::size_t>& same : by_cores) {
    worth.push_back(candidates.worth_running(same, seconds));
    const auto expected = [&](std::size_t a) {
      double sum = 0;
      for (std::size_t j : same) sum += seconds[j][a];
      return sum;
    };
    const std::size_t least =
        *std::min_element(worth.back().begin(), worth.back().end(),
                          [&](std::size_t a, std::size_t b) { return expected(a) < expected(b); });
    for (std::size_t j : same) way[j] = least;
  }
  hindsight result;
  for (std::size_t k = 0; k < by_cores.size(); ++k) {
    std::size_t best = way[by_cores[k][0]];
    for (std::size_t a : worth[k]) {
      if (k > 0 && a == best) continue;  // it is in the best run so far
      for (std::size_t j : by_cores[k]) way[j] = a;
      std::vector<planned_move> plan = planned(of, candidates.all(), way, false);
      simulated_result r = run(of, seed, plan, rows);
      if (!result.plan.empty() && !is_better(of, goal, r, result.best_fixed)) continue;
      best = a;
      result.plan = std::move(plan);
      result.best_fixed = std::move(r);
    }
    for (std::size_t j : by_cores[k]) way[j] = best;
  }
  result.fixed = result.plan.front().to;
  result.clairvoyant = result.best_fixed;
  return result;
}

}  // namespace

double advantage(const objective& goal, const simulated_result& a, const simulated_result& b) {
  if (goal.is_latency()) return b.latency_mean / a.latency_mean;
  if (goal.is_fewest_cores()) return cores_paid(goal, b, a.throughput) / cores_paid(goal, a, b.throughput);
  return a.throughput / b.throughput;
}

std::vector<system_view> known_views(const scenario& of) {
  const system_view before = view_before(of);
  std::vector<system_view> views(of.phase_starts.size(), before);
  for (std::size_t j = 0; j < views.size(); ++j) {
    views[j].cores = core_set::range(0, of.cores_in(j));
    const std::vector<link> each = of.links_in(j);
    const std::vector<double> visits = visits_of(of, each);
    if (!before.links.empty()) views[j].links = per_input(each, visits);
    for (std::size_t i = 0; i < of.components.size(); ++i) {
      component_view& c = views[j].components[i];
      c.visits = visits[i] * usual_part_on_cores(of, i, j);
      c.model = std::make_shared<known_mean>(of.components[i], j, of.cores, mean_slow_down(of, i, j));
      c.recent = {{1, 1, c.model->predict(1, 1).mean}};
      c.invocations = c.invocations_since_move = 1;
      if (before.machine->kinds().size() > 1) c.kind_factors = factors_of(of.components[i], *before.machine);
    }
  }
  return views;
}

hindsight regret_of(const scenario& of, std::uint64_t seed, int rows, objective goal) {
  const candidates_of candidates(of, goal);
  const std::vector<seconds_of_phases> by_norm = candidates.seconds();
  hindsight result = best_kept(of, seed, rows, goal, candidates, by_norm.back());
  if (of.phase_starts.size() == 1) return result;
  std::vector<std::vector<std::size_t>> ways;
  const auto add = [&](const std::vector<std::size_t>& way) {
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  };
  for (const seconds_of_phases& expected : by_norm) add(cheapest_way(expected, of.move_cost));
  if (!candidates.asked().empty()) add(candidates.asked());
  for (const std::vector<std::size_t>& way : ways)
    for (bool when_left : {false, true}) {
      std::vector<planned_move> plan = planned(of, candidates.all(), way, when_left);
      if (plan.size() == 1 && when_left) break;
      simulated_result r = run(of, seed, plan, rows);
      if (!is_better(of, goal, r, result.clairvoyant)) continue;
      result.plan = std::move(plan);
      result.clairvoyant = std::move(r);
    }
  return result;
}

}  // namespace weir::simulation
