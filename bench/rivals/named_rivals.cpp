#include "bench/rivals/named_rivals.hpp"

#include <algorithm>
#include <stdexcept>

#include <weir/scheduler/policies/adaptive.hpp>
#include "bench/rivals/autotune.hpp"
#include "bench/rivals/ds2.hpp"
#include "bench/rivals/equaliser.hpp"
#include "bench/rivals/half_efficiency.hpp"
#include "bench/rivals/hill_climbing.hpp"
#include "bench/rivals/model_bandit.hpp"
#include "bench/rivals/reservation.hpp"
#include "bench/rivals/saturation_aware.hpp"

namespace weir::rivals {
namespace {

constexpr double without_limit = 1e12;  // a horizon in which any move pays off, and a growth factor that holds no move
                                        // back

// A rule that does not predict is not judged by predictions: it may move for any gain at any price, and no model judges
// the gain of a move. It waits for as many records as weir's own rule, so that it measures as well.
controller_options measuring(double min_gain) {
  controller_options options;
  options.min_gain = min_gain;
  options.noise_weight = 0;
  options.early_patience = options.patience;
  options.ask_every = 1;
  options.least_horizon = options.horizon = without_limit;
  options.by_draws = false;
  options.remember = false;
  return options;
}

controller_options bare() {
  controller_options options = measuring(0);
  options.patience = options.early_patience = 1;
  return options;
}

template <typename Change>
adaptive ours(Change change) {
  throughput_options options;
  change(options);
  return adaptive(objective::throughput, options);
}

}  // namespace

std::vector<named_rival> named_rivals() {
  const controller_options usual;
  const auto with = [&](auto change) {
    controller_options options = usual;
    change(options);
    return options;
  };
  const adaptive whole(objective::throughput);
  const adaptive growing = ours([](throughput_options& o) { o.growth = without_limit; });
  const std::string paper = "extended-amdahl-online", model = "weir";
  return {
      // With weir's own least gain it does not move for changes in the last digit of a measurement.
      {"ds2", "DS2's rule: linear scaling of measured rates", ds2(), measuring(usual.min_gain), model},
      {"hill-climbing", "Feedback-Directed Pipelining: one core to the bottleneck, kept if throughput rose",
       hill_climbing(), measuring(0), model},
      {"equaliser", "one core to the slowest by measured times", equaliser(), measuring(0), model},
      {"saturation-aware", "Xenna's rule: queues name the bottleneck", saturation_aware(), measuring(0), model},
      {"reservation", "Ray's: half reserved equally, the rest to who has tasks waiting", reservation(), bare(), model},
      {"autotune", "tf.data's: one core more to the slowest, until all are used", autotune(), measuring(usual.min_gain),
       model},
      {"half-efficiency", "cores only while a component uses half of them, by models", half_efficiency(),
       measuring(usual.min_gain), model},
      {"model-bandit", "draws of what each allotment may cost, models as prior", model_bandit(),
       measuring(usual.min_gain), model},
      {"paper", "the paper's online model with our rules", whole, usual, paper},
      {"paper-bare", "the paper's online model alone", growing, bare(), paper},
      {"adaptive-no-growth-limit", "ours, however far it extrapolates", growing, usual, model},
      {"adaptive-no-draws", "ours, believing models as they are", whole,
       with([](controller_options& o) { o.by_draws = false; }), model},
      {"adaptive-no-threshold", "ours, moving for any gain", whole,
       with([](controller_options& o) { o.min_gain = o.noise_weight = 0; }), model},
      {"adaptive-no-patience", "ours, without waiting between moves", whole,
       with([](controller_options& o) { o.patience = o.early_patience = o.ask_every = 1; }), model},
      {"adaptive-simple-model", "ours, with a model that is blind to inputs", whole, usual, "simple-amdahl"},
      {"adaptive-no-memory", "ours, following whatever swings", whole,
       with([](controller_options& o) { o.remember = false; }), model},
      {"adaptive-no-forecast", "ours, blind to records that wait", whole,
       with([](controller_options& o) { o.look_ahead = false; }), model},
      {"adaptive-interference", "ours, learning how much components slow each other down", whole,
       with([](controller_options& o) { o.interference = true; }), model},
      {"adaptive-bottleneck-only", "ours, as if streams had no bounds",
       ours([](throughput_options& o) { o.blocking = false; }), usual, model},
      {"adaptive-no-width", "ours, with one lane a component", ours([](throughput_options& o) { o.max_width = 1; }),
       usual, model},
  };
}

named_rival rival(const std::string& name) {
  std::string names;
  for (named_rival& one : named_rivals()) {
    if (one.name == name) return std::move(one);
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw std::invalid_argument("there is no rival \"" + name + "\"; there are: " + names);
}

}  // namespace weir::rivals
