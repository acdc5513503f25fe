#pragma once

#include <string>
#include <vector>

#include "bench/measurements/real_devices/device_run.hpp"
#include "bench/measurements/real_devices/measured_costs.hpp"

// Sides whose costs go from an eighth of that of the middle one to eight times of it; 24, so all inputs are prepared.
std::vector<int> sides_around(double middle, int degree);

// Fixed ways to place inputs of these sides, each equally often: all cores, all device, and the device from each of
// some sides on.
struct placement_plan {
  // Ways that are expected to take more than four times as long as the best one are left out: they would leave no time
  // to the others. `device_factor`: the device takes so much longer in the mean than its measured costs.
  placement_plan(const std::vector<int>& sides, int thresholds, const measured_costs& costs, int cores,
                 double device_factor);

  std::vector<way> ways;
  std::vector<std::string> left_out;  // their names
  double seconds = 0;  // expected of one record on each way, and once more on the best, for the learnt one
};
