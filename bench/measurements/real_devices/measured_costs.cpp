#include "bench/measurements/real_devices/measured_costs.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bench/support/quantile.hpp"

namespace {

template <class F>
double seconds_of(const F& f) {
  const auto began = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

measured_costs::measured_costs(const workload& of, components::device_queue& by, double seconds) {
  const double each = seconds / static_cast<double>(of.probed.size());
  constexpr std::size_t most = 200;  // the median does not move any more
  tbb::task_arena one_core(1);
  for (const int side : of.probed) {
    of.prepare(side);
    std::vector<double> on_cores, on_device;
    double spent = 0;
    of.on_device(by, side);  // a first invocation compiles
    while (on_cores.size() < most && (spent < each || on_cores.size() < 3)) {
      on_cores.push_back(one_core.execute([&] { return seconds_of([&] { of.on_cores(side); }); }));
      on_device.push_back(seconds_of([&] { of.on_device(by, side); }));
      spent += on_cores.back() + on_device.back();
      if (spent > each && points_.size() >= 2) break;
    }
    using weir::program::quantile;
    points_.push_back({side, quantile(on_cores, 0.5), quantile(on_device, 0.5)});
    if (spent > 2 * each && points_.size() >= 2) break;
  }
}

double measured_costs::at(double side, double point::*what) const {
  std::size_t i = 1;
  while (i + 1 < points_.size() && side > points_[i].side) ++i;
  const point &a = points_[i - 1], &b = points_[i];
  const double part = std::log(side / a.side) / std::log(static_cast<double>(b.side) / a.side);
  return a.*what * std::pow(b.*what / (a.*what), part);
}

double measured_costs::crossing() const {
  const auto faster = [](const point& p) { return p.on_device < p.on_cores; };
  const auto last_on_cores = std::find_if_not(points_.rbegin(), points_.rend(), faster);
  if (last_on_cores == points_.rend() || last_on_cores == points_.rbegin())
    return std::numeric_limits<double>::quiet_NaN();
  const point &a = *last_on_cores, &b = *(last_on_cores - 1);
  const double behind = std::log(a.on_device / a.on_cores), ahead = std::log(b.on_cores / b.on_device);
  return a.side * std::pow(static_cast<double>(b.side) / a.side, behind / (behind + ahead));
}
