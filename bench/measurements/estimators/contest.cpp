#include "bench/measurements/estimators/contest.hpp"

#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"
#include "model/weir/weir_estimator.hpp"

namespace weir::bench {
namespace {

constexpr int predictions = 20;
constexpr double of_90_percent = 1.645;  // 90 % of a normal variable lie within this number of deviations of its mean

void learn_one(trial& from, estimator& model) {
  const trial::seen s = from.observe();
  observation o;
  o.x = s.x;
  o.cores = s.cores;
  o.seconds = s.seconds;
  model.observe(o);
}

}  // namespace

std::array<score, stops.size()> answer(question q, const contestant& who, std::uint64_t first_seed, int trials) {
  std::array<std::vector<double>, stops.size()> errors;
  std::array<int, stops.size()> inside{};
  for (int t = 0; t < trials; ++t) {
    trial now(q, first_seed + static_cast<std::uint64_t>(t));
    const auto model = who.make();
    for (int i = 0; i < now.before(); ++i) learn_one(now, *model);
    int learnt = 0;
    for (std::size_t stop = 0; stop < stops.size(); ++stop) {
      for (; learnt < stops[stop]; ++learnt) learn_one(now, *model);
      const auto snapshot = model->clone();
      for (int i = 0; i < predictions; ++i) {
        const trial::seen asked = now.ask();
        const prediction said = snapshot->predict(asked.x, asked.cores);
        errors[stop].push_back(100 * std::abs(said.mean - asked.seconds) / asked.seconds);
        inside[stop] += std::abs(now.noisy(asked.seconds) - said.mean) < of_90_percent * said.spread;
      }
    }
  }
  std::array<score, stops.size()> out;
  for (std::size_t stop = 0; stop < stops.size(); ++stop)
    out[stop] = {program::quantile(errors[stop], 0.5), program::quantile(errors[stop], 0.95),
                 100.0 * inside[stop] / (predictions * trials)};
  return out;
}

std::vector<contestant> every_estimator() {
  std::vector<contestant> out;
  for (const std::string& name : estimator_names()) {
    out.push_back({name, [name] { return make_estimator(name, unknown_degree); }});
    if (name == "weir") out.push_back({"weir, degree 3", [] { return make_estimator("weir", degree{3}); }});
  }
  return out;
}

std::vector<contestant> every_ablation() {
  std::vector<contestant> out;
  const auto add = [&](const char* name, weir_parts parts) {
    out.push_back({name, [parts] { return std::make_unique<weir_estimator>(unknown_degree, parts); }});
  };
  add("weir", {});
  add("without families", {.families = false});
  add("without Huber's weights", {.huber = false});
  add("without drift", {.drift = false});
  add("without x correction", {.x_correction = false});
  add("without p correction", {.p_correction = false});
  add("without noise floor", {.noise_floor = false});
  add("without repeats", {.repeats = false});
  return out;
}

}  // namespace weir::bench
