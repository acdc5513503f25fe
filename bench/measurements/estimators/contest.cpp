#include "bench/measurements/estimators/contest.hpp"

#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"
#include "model/weir/weir_estimator.hpp"

namespace weir::bench {
namespace {

constexpr int predictions = 20;
constexpr double of_90_percent = 1.645;  // 90 % of a normal variable lie within this number of deviations of its mean

observation as_observation(const trial::seen& s, const contestant& who) {
  observation o;
  o.x = who.is_told ? s.that_matters : s.x;
  o.cores = s.cores;
  o.seconds = s.seconds;
  o.further = s.further;
  return o;
}

std::vector<contestant> every_joint(question of) {
  std::vector<contestant> out;
  const auto add = [&](const char* name, const char* model, bool is_told = false) {
    out.push_back({name, [model] { return make_estimator(model, unknown_degree); }, is_told});
  };
  const bool is_sought = of == question::candidates, is_kind = of == question::kinds_said;
  add("weir", is_sought                ? "weir(candidate, candidate, candidate, candidate, candidate, candidate)"
              : is_kind                ? "weir(kind)"
              : of == question::levels ? "weir(number, kind)"
                                       : "weir(number, number)");
  if (of == question::levels) add("weir, two numbers", "weir(number, number)");
  if (!is_sought && !is_kind) add("weir, first alone", "weir");
  if (is_kind) add("weir, as a number", "weir");
  if (is_sought) add("weir, nothing", "weir"), add("weir, named", "weir", true);
  return out;
}

}  // namespace

std::array<score, stop_list{}.size()> answer(question q, const contestant& who, std::uint64_t first_seed, int trials) {
  constexpr std::size_t count = stop_list{}.size();
  const stop_list stops = stops_of(q);
  std::array<std::vector<double>, count> errors;
  std::array<int, count> inside{};
  for (int t = 0; t < trials; ++t) {
    trial now(q, first_seed + static_cast<std::uint64_t>(t));
    const auto model = who.make();
    for (int i = 0; i < now.before(); ++i) model->observe(as_observation(now.observe(), who));
    int learnt = 0;
    for (std::size_t stop = 0; stop < count; ++stop) {
      for (; learnt < stops[stop]; ++learnt) model->observe(as_observation(now.observe(), who));
      const auto snapshot = model->clone();
      for (int i = 0; i < predictions; ++i) {
        const trial::seen asked = now.ask();
        const prediction said = snapshot->predict(snapshot->x_of(as_observation(asked, who)), asked.cores);
        errors[stop].push_back(100 * std::abs(said.mean - asked.seconds) / asked.seconds);
        inside[stop] += std::abs(now.noisy(asked.seconds) - said.mean) < of_90_percent * said.spread;
      }
    }
  }
  std::array<score, count> out;
  for (std::size_t stop = 0; stop < count; ++stop)
    out[stop] = {program::quantile(errors[stop], 0.5), program::quantile(errors[stop], 0.95),
                 100.0 * inside[stop] / (predictions * trials)};
  return out;
}

std::vector<contestant> every_estimator(question of) {
  if (of >= question::product) return every_joint(of);
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
  add("without level", {.level = false});
  return out;
}

}  // namespace weir::bench
