#include "bench/weir/matmul/emulated_network.hpp"

#include <algorithm>
#include <limits>

#include <weir/network/box.hpp>
#include <weir/record/label.hpp>

namespace weir::program {
namespace {

constexpr tag x{"x"}, id{"id"};

// Seconds per record of a stage with cores in `width` lanes: the rates of the lanes add up.
double lanes_seconds(const emulated_stage& stage, double at, int cores, int width) {
  double rate = 0;
  for (int lane = 0; lane < width; ++lane)
    rate += 1 / stage.cost.seconds(at, cores / width + (lane < cores % width ? 1 : 0));
  return 1 / rate;
}

double least_seconds(const emulated_stage& stage, double at, int cores, int max_width) {
  double least = std::numeric_limits<double>::infinity();
  for (int width = 1; width <= std::min(cores, max_width); ++width)
    least = std::min(least, lanes_seconds(stage, at, cores, width));
  return least;
}

}  // namespace

// On 48 cores, one lane each, at x = 100: equal shares of 12 have their bottleneck at 92 ms per record in `solve`. The
// best allotment is 6, 9, 25 and 8 cores with 51 ms; one core too few anywhere costs at most 6 %. Times are long. So a
// sleep that ends a millisecond late, as on a busy machine, changes them by only 2 %.
const std::vector<emulated_stage>& emulated_stages() {
  static const std::vector<emulated_stage> all{{"decode", {{0, 1.5e-3}, 0.80}},
                                               {"transform", {{0, 2.5e-3}, 0.90}},
                                               {"solve", {{0, 10e-3}, 0.99}},
                                               {"encode", {{0, 2.0e-3}, 0.85}}};
  return all;
}

std::vector<std::string> emulated_names() {
  std::vector<std::string> names;
  for (const emulated_stage& s : emulated_stages()) names.push_back(s.name);
  return names;
}

workload emulated_workload(const std::vector<std::int64_t>& inputs, int max_width) {
  const auto stage = [&](const emulated_stage& s) -> network {
    return box(s.name, takes(x), gives(x),
               [cost = s.cost](const grant& given, std::int64_t at) {
                 components::emulate(cost, static_cast<double>(at), given.size());
                 return at;
               })
        .predicted_by([](std::int64_t at) { return at; }, degree{1})
        .width(max_width);
  };
  network net = stage(emulated_stages().front());
  for (std::size_t i = 1; i < emulated_stages().size(); ++i) net = net >> stage(emulated_stages()[i]);

  return {net.as("emulated"),
          emulated_names(),
          inputs.size(),
          [inputs](std::size_t i) { return record(x = inputs[i], id = static_cast<std::int64_t>(i)); },
          [](const record& result) { return static_cast<std::size_t>(result[id]); },
          true};
}

double true_bottleneck(const allotment& given, double at) {
  const auto& stages = emulated_stages();
  double group = 0, slowest = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!given.components[i].cores.empty()) continue;
    const double one = stages[i].cost.seconds(at, 1);
    group += one;
    slowest = std::max(slowest, one);
  }
  if (!given.shared.empty()) slowest = std::max(slowest, group / given.shared.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const share& s = given.components[i];
    if (s.cores.empty()) continue;
    const double own = lanes_seconds(stages[i], at, s.cores.size(), s.width);
    const bool hosts = given.shared_host() == static_cast<int>(i);
    slowest = std::max(slowest, hosts ? own + group / s.width : own);
  }
  return slowest;
}

double equal_bottleneck(int cores, double at) {
  const auto& stages = emulated_stages();
  const int n = static_cast<int>(stages.size());
  double slowest = 0;
  for (int i = 0; i < n; ++i)
    slowest = std::max(slowest, lanes_seconds(stages[static_cast<std::size_t>(i)], at, cores / n + (i < cores % n), 1));
  return slowest;
}

// Gives one core at a time to the slowest stage. That is optimal, since a core makes no stage slower.
double best_bottleneck(int cores, int max_width, double at) {
  const auto& stages = emulated_stages();
  std::vector<int> given(stages.size(), 1);
  std::vector<double> seconds;
  for (const emulated_stage& s : stages) seconds.push_back(least_seconds(s, at, 1, max_width));
  for (int left = cores - static_cast<int>(stages.size()); left > 0; --left) {
    const auto i = static_cast<std::size_t>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
    seconds[i] = least_seconds(stages[i], at, ++given[i], max_width);
  }
  return *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace weir::program
