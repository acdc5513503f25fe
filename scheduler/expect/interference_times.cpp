#include "scheduler/expect/interference_times.hpp"

#include <algorithm>
#include <cmath>

#include "model/weir/interference_model.hpp"
#include "scheduler/expect/expectation.hpp"

namespace weir {
namespace {

// Cores that a component keeps busy on average.
std::vector<double> busy_cores(const system_view& view, const allotment& given, double rate) {
  const expectation expected = expected_times(view, given);
  std::vector<double> busy(view.components.size(), 0.0);
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const share& own = given.components[i];
    if (own.outside || !(expected.bottleneck > 0)) continue;
    const double part = expected.seconds[i] / std::max(expected.bottleneck, 1 / rate);
    if (std::isfinite(part)) busy[i] = part * std::max(1, own.cores.size());
  }
  return busy;
}

}  // namespace

std::vector<double> slowdowns(const system_view& view, const allotment& given, double rate) {
  const std::vector<double> busy = busy_cores(view, given, rate);
  std::vector<double> factors;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const share& own = given.components[i];
    std::vector<double> others = busy;
    others[i] *= own.is_member() ? 0 : 1 - 1.0 / std::max(1, own.width);
    factors.push_back(own.outside ? 1 : view.interference->slowdown(static_cast<int>(i), others));
  }
  return factors;
}

system_view under_pressure_of(const system_view& view, const allotment& given, double rate) {
  constexpr int steps = 2;
  if (!view.interference || view.current.components.size() != view.components.size() || given == view.current)
    return view;
  const std::vector<double> now = slowdowns(view, view.current, rate);
  system_view there = view;
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> then = slowdowns(there, given, rate);
    for (std::size_t i = 0; i < then.size(); ++i)
      there.components[i].time_factor = view.components[i].time_factor * then[i] / now[i];
  }
  return there;
}

}  // namespace weir
