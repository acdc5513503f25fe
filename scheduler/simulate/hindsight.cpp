#include "scheduler/simulate/hindsight.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "scheduler/expect/expectation.hpp"
#include "scheduler/policies/equal_shares.hpp"
#include "scheduler/simulate/fixed_search.hpp"

namespace weir::simulation {
namespace {

constexpr double norms[] = {4, 12, 64};
constexpr std::uint64_t most_simulated = 20'000;  // records: a run takes some 20 ms, and there may be many
constexpr double worth_a_run = 1.2;               // of the least expected time; simulated times err less
constexpr std::size_t most_ranged = 8;  // phases; with more, ranges are single phases and all: 36 searches suffice

// The true mean time over x, as a model that learns nothing.
class known_mean final : public estimator {
 public:
  known_mean(const simulated_component& c, std::size_t phase, int cores) : means_(static_cast<std::size_t>(cores) + 1) {
    const simulated_component::phase& in = c.in(phase);
    const double late = c.late.part > 0 ? c.late.part * (c.late.low * c.late.exponent / (c.late.exponent - 1) - 1) : 0;
    for (int p = 1; p <= cores; ++p) {
      double sum = 0;
      for (int k = 0; k < points; ++k) sum += c.cost(in.x.at((k + 0.5) / points), p);
      means_[static_cast<std::size_t>(p)] = sum / points * in.factor * (1 + late);
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
  static constexpr int points = 256;  // of a quantile function: exact to 1e-4 for a cubic over two decades
  std::vector<double> means_;         // by cores
  description described_;
};

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

std::vector<planned_move> planned(const scenario& of, const std::vector<allotment>& candidates,
                                  const std::vector<std::size_t>& way, bool when_left) {
  std::vector<planned_move> plan{{0, false, candidates[way[0]]}};
  for (std::size_t j = 1; j < way.size(); ++j)
    if (way[j] != way[j - 1]) plan.push_back({of.phase_starts[j], when_left, candidates[way[j]]});
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

// Whether run `a` is better than run `b`. A stream that is not saturated leaves as fast as it comes, whatever the
// allotment. If throughputs then differ by less than a thousandth, the latency decides.
bool is_better(const scenario& of, const simulated_result& a, const simulated_result& b) {
  const bool tie = std::abs(a.throughput - b.throughput) < 1e-3 * b.throughput;
  if (of.coming.how != arrivals::kind::closed && tie) return a.latency_mean < b.latency_mean;
  return a.throughput > b.throughput;
}

void add(std::vector<allotment>& all, const allotment& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

std::vector<system_view> known_views(const scenario& of) {
  const system_view before = view_before(of);
  std::vector<system_view> views(of.phase_starts.size(), before);
  for (std::size_t j = 0; j < views.size(); ++j)
    for (std::size_t i = 0; i < of.components.size(); ++i) {
      component_view& c = views[j].components[i];
      c.model = std::make_shared<known_mean>(of.components[i], j, of.cores);
      c.recent = {{1, 1, c.model->predict(1, 1).mean}};
      c.invocations = c.invocations_since_move = 1;
    }
  return views;
}

hindsight regret_of(const scenario& of, std::uint64_t seed, int rows) {
  const std::vector<system_view> views = known_views(of);
  const std::size_t phases = views.size();
  std::vector<double> records;
  for (std::size_t j = 0; j < phases; ++j) records.push_back(static_cast<double>(of.records_in(j)));

  // For each range of phases and each norm, since expected times lack some effects of the simulation.
  const std::size_t kept_each = of.records <= most_simulated ? 6 : 2;
  std::vector<allotment> candidates{equal_shares{}.decide(views[0])};
  for (std::size_t from = 0; from < phases; ++from)
    for (std::size_t to = from; to < phases; ++to) {
      const bool is_whole = from == 0 && to + 1 == phases;
      if (phases > most_ranged && from != to && !is_whole) continue;
      const auto at = [](const auto& all, std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
      const std::vector<system_view> some(at(views, from), at(views, to + 1));
      const std::vector<double> weights(at(records, from), at(records, to + 1));
      for (double norm : norms)
        for (const fixed_choice& choice : best_fixed_counts(some, weights, norm, kept_each))
          add(candidates, place(choice.counts, views[from]));
    }

  // Expected seconds of each phase under each candidate, by each norm.
  std::vector<std::vector<std::vector<double>>> by_norm(std::size(norms), std::vector<std::vector<double>>(phases));
  for (std::size_t j = 0; j < phases; ++j)
    for (const allotment& a : candidates) {
      const expectation e = expected_times(views[j], a);
      for (std::size_t m = 0; m < by_norm.size(); ++m) by_norm[m][j].push_back(records[j] * normed(e, a, norms[m]));
    }
  const std::vector<std::vector<double>> seconds = by_norm.back();

  std::vector<double> whole(candidates.size(), 0);
  for (const std::vector<double>& in_phase : seconds)
    for (std::size_t a = 0; a < whole.size(); ++a) whole[a] += in_phase[a];
  const double limit = worth_a_run * *std::min_element(whole.begin(), whole.end());

  hindsight result;
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    if (whole[a] > limit) continue;
    simulated_result r = run(of, seed, std::vector<planned_move>{{0, false, candidates[a]}}, rows);
    if (!result.fixed.components.empty() && !is_better(of, r, result.best_fixed)) continue;
    result.fixed = candidates[a];
    result.best_fixed = std::move(r);
  }
  result.plan = {{0, false, result.fixed}};
  result.clairvoyant = result.best_fixed;
  std::vector<std::vector<std::size_t>> tried;
  for (const auto& expected : by_norm) {
    const std::vector<std::size_t> way = cheapest_way(expected, of.move_cost);
    if (phases == 1 || std::find(tried.begin(), tried.end(), way) != tried.end()) continue;  // already tried
    tried.push_back(way);
    for (bool when_left : {false, true}) {
      std::vector<planned_move> plan = planned(of, candidates, way, when_left);
      if (plan.size() == 1 && when_left) break;
      simulated_result r = run(of, seed, plan, rows);
      if (!is_better(of, r, result.clairvoyant)) continue;
      result.plan = std::move(plan);
      result.clairvoyant = std::move(r);
    }
  }
  return result;
}

}  // namespace weir::simulation
