#include "bench/measurements/estimators/priors.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"
#include "model/priors/prior_choice.hpp"

namespace weir::bench {
namespace {

constexpr int predictions = 20, of_earlier_runs = 300, runs = 8;
constexpr double of_90_percent = 1.645, slower_by = 1.7;
// Seeds of the other costs: far from those of the trials.
constexpr std::uint64_t other_costs = 1'000'000'000;

void learn(estimator& model, trial& from, int count, double factor = 1) {
  for (int i = 0; i < count; ++i) {
    const trial::seen s = from.observe();
    observation o;
    o.x = s.x;
    o.cores = s.cores;
    o.seconds = factor * s.seconds;
    model.observe(o);
  }
}

prior_candidate run_of(trial& cost, const std::string& name) {
  std::shared_ptr<estimator> model = make_estimator("weir", unknown_degree);
  learn(*model, cost, of_earlier_runs);
  return {name, model};
}

// `now` goes on with the same cost.
std::unique_ptr<estimator> model_of(question q, start_from start, std::uint64_t seed, trial& now) {
  const prior_candidate same = run_of(now, "same");
  auto fresh = make_estimator("weir", unknown_degree);
  if (start == start_from::nothing) return fresh;
  if (start == start_from::same_run || start == start_from::slower_by_hand) return same.model->clone();
  std::vector<prior_candidate> all;
  for (std::uint64_t i = 1; i < runs; ++i) {
    trial other(q, other_costs + seed * runs + i);
    all.push_back(run_of(other, "other"));
  }
  if (start != start_from::others) {
    all.push_back(same);
  } else {
    trial other(q, other_costs + seed * runs);
    all.push_back(run_of(other, "other"));
  }
  return std::make_unique<prior_choice>(std::move(fresh), std::move(all));
}

}  // namespace

std::string to_string(start_from start) {
  constexpr std::array<const char*, starts> names{
      "no prior", "the same run", "folder", "folder, 1.7 x slower", "same run, 1.7 x slower", "folder of others"};
  return names[static_cast<std::size_t>(start)];
}

prior_scores answer_from(question q, start_from start, std::uint64_t first_seed, int trials) {
  std::array<std::vector<double>, prior_stops.size()> errors;
  prior_scores out;
  const double factor = start == start_from::slower || start == start_from::slower_by_hand ? slower_by : 1;
  for (int t = 0; t < trials; ++t) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(t);
    trial now(q, seed);
    const auto model = model_of(q, start, seed, now);
    int learnt = 0;
    for (std::size_t stop = 0; stop < prior_stops.size(); ++stop) {
      learn(*model, now, prior_stops[stop] - learnt, factor);
      learnt = prior_stops[stop];
      out.same_chosen[stop] += 100.0 * model->describe().words.ends_with("'same'") / trials;
      if (factor != 1)
        out.same_chosen[stop] += 100.0 * (model->describe().words.find("'same' times") != std::string::npos) / trials;
      const auto snapshot = model->clone();
      for (int i = 0; i < predictions; ++i) {
        const trial::seen asked = now.ask();
        const prediction said = snapshot->predict(asked.x, asked.cores);
        const double truth = factor * asked.seconds;
        errors[stop].push_back(100 * std::abs(said.mean - truth) / truth);
        out.after[stop].covered +=
            100.0 * (std::abs(factor * now.noisy(asked.seconds) - said.mean) < of_90_percent * said.spread) /
            (predictions * trials);
      }
    }
  }
  for (std::size_t stop = 0; stop < prior_stops.size(); ++stop) {
    out.after[stop].median = program::quantile(errors[stop], 0.5);
    out.after[stop].p95 = program::quantile(errors[stop], 0.95);
  }
  return out;
}

}  // namespace weir::bench
