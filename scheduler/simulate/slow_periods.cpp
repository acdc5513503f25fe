#include "scheduler/simulate/slow_periods.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "scheduler/view/counter_random.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir::simulation {
namespace {

// Numbers of one course, three for a period and its gap: a second's worth. A run with more would hardly end.
constexpr std::uint64_t most_drawn = 30'000'000;

bool concerns(const std::vector<std::size_t>& listed, std::size_t one) {
  return listed.empty() || std::find(listed.begin(), listed.end(), one) != listed.end();
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

slow_periods::slow_periods(const scenario& of, std::uint64_t seed)
    : scenario_(of), seed_(mix(seed, 0x736c6f77)), courses_(of.slow_downs.size()) {}

double slow_periods::factor(std::size_t component, double time, std::size_t phase) {
  double all = 1;
  for (std::size_t k = 0; k < courses_.size(); ++k) {
    const slow_down& slow = scenario_.slow_downs[k];
    if (!concerns(slow.components, component) || !concerns(slow.phases, phase)) continue;
    course& c = courses_[k];
    const auto draw = [&](const input_range& range) { return range.at(uniform(mix(mix(seed_, k), c.drawn++))); };
    while (c.until <= time) {
      if (c.drawn > most_drawn)
        throw std::invalid_argument("slow_downs[" + std::to_string(k) +
                                    "]: its periods are too short for this run, which is at " + std::to_string(time) +
                                    " s after " + std::to_string(most_drawn / 3) + " of them");
      c.is_slow = !c.is_slow;
      const double next = c.until + draw(c.is_slow ? slow.lasts : slow.every);
      c.until = std::max(next, std::nextafter(c.until, infinite_seconds));  // goes on, however late and short it is
      if (c.is_slow) c.factor = draw(slow.factor);
    }
    if (c.is_slow) all *= c.factor;
  }
  return all;
}

// In a part s of the time, work goes on at 1/factor of its speed. So a second of work takes 1/(1 - s + s/factor).
double mean_slow_down(const scenario& of, std::size_t component, std::size_t phase) {
  double all = 1;
  for (const slow_down& slow : of.slow_downs) {
    if (!concerns(slow.components, component) || !concerns(slow.phases, phase)) continue;
    const double lasts = mean(sampled(slow.lasts)), part = lasts / (lasts + mean(sampled(slow.every)));
    std::vector<double> speeds = sampled(slow.factor);
    for (double& f : speeds) f = 1 / f;
    all /= 1 - part + part * mean(speeds);
  }
  return all;
}

}  // namespace weir::simulation
