#pragma once

#include <vector>

#include "bench/measurements/real_devices/workload.hpp"

// Seconds of a workload on one core and on the device alone, by the side of its input; copies are included.
class measured_costs {
 public:
  // Measures in turns for `seconds` in all, ascending, and leaves out sides that do not fit that time.
  measured_costs(const workload& of, components::device_queue& by, double seconds);

  struct point {
    int side;
    double on_cores, on_device;  // medians
  };
  const std::vector<point>& points() const { return points_; }

  // Interpolated by logarithms; beyond the points as the last two go on. REQUIRES: two points.
  double on_cores(double side) const { return at(side, &point::on_cores); }
  double on_device(double side) const { return at(side, &point::on_device); }

  // The side from which on the device is faster, at all greater points as well. NaN: at none, or from the first on.
  double crossing() const;

 private:
  double at(double side, double point::*what) const;

  std::vector<point> points_;
};
