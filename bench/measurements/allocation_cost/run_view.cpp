#include "bench/measurements/allocation_cost/run_view.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/machine/topology.hpp>
#include <weir/scheduler/policies/adaptive.hpp>

namespace weir::allocation_cost {
namespace {

std::shared_ptr<const topology> machine_of(int cores) {
  const int caches = std::max(1, cores / 16), packages = std::max(1, caches / 8);
  return std::make_shared<topology>(topology::synthetic("package:" + std::to_string(packages) +
                                                        " l3:" + std::to_string(caches / packages) +
                                                        " core:" + std::to_string(cores / caches) + " pu:1"));
}

}  // namespace

run_view::run_view(std::int64_t components, std::int64_t cores, int max_width) {
  const int n = static_cast<int>(components), p = static_cast<int>(cores);
  view_.machine = machine_of(p);
  view_.cores = core_set::range(0, p);
  const int octaves = std::max(2, static_cast<int>(std::log2(p / n + 1)));  // of the numbers of cores seen
  for (int i = 0; i < n; ++i) {
    component c(make_estimator("weir", degree{2}));
    c.sequential = std::pow(10.0, real(-3, -1));
    c.alpha = real(.8, .999);
    if (i % 3 == 1) c.contention = 1e-4 * real(0, 1);
    if (i % 3 == 2) c.fork_join = c.sequential * 1e-3 * real(0, 1);
    if (i % 4 == 3) c.pieces = 2 << i % 7;
    c.smallest = real(.5, 2);
    c.octaves = real(.2, 3);
    for (int k = 0; k < 256; ++k) invoke(c, 1, 1 << k % (octaves + 1));
    component_view seen;
    seen.name.assign("c").append(std::to_string(i));
    seen.max_width = max_width;
    c.known.fill(seen);
    view_.components.push_back(std::move(seen));
    components_.push_back(std::move(c));
  }
  view_.current = adaptive(objective::throughput).decide(view_);
  for (std::size_t i = 0; i < components_.size(); ++i) {
    for (int k = 0; k < 64; ++k) invoke(components_[i], i % 2 == 0 ? 1.5 : 1, 1 << k % (octaves + 1));
    components_[i].known.fill(view_.components[i]);
  }
}

double run_view::seconds(const component& c, double x, int cores) const {
  const double p = c.pieces > 0 ? c.pieces / std::ceil(static_cast<double>(c.pieces) / cores) : cores;
  return c.sequential * x * (c.alpha / p + 1 - c.alpha + c.contention * (cores - 1)) + c.fork_join * (cores - 1);
}

void run_view::invoke(component& c, double factor, int cores) {
  observation seen;
  seen.x = c.smallest * factor * std::exp2(real(0, c.octaves));
  seen.cores = cores;
  seen.seconds = seconds(c, seen.x, cores) * std::exp(real(-.05, .05));
  seen.start = time_ += 1;  // far apart, so that the model gets each by itself
  c.known.observe(seen);
}

void run_view::go_on(system_view& view, std::size_t part) {
  const bool is_high = calls_ / 32 % 2 != 0;
  for (std::size_t i = static_cast<std::size_t>(calls_++) % part; i < components_.size(); i += part) {
    const share& has = view.current.components[i];
    const int cores = has.cores.empty() ? 1 : std::max(1, has.cores.size() / has.width);
    for (int k = 0; k < 16; ++k) invoke(components_[i], is_high && i % 2 == 0 ? 3 : 1, cores);
    components_[i].known.fill(view.components[i]);
  }
  view.time = time_;
}

}  // namespace weir::allocation_cost
