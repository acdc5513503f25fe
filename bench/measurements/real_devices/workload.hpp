#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "components/device/device_queue.hpp"

// A component with two implementations, whose input is square. Both give the same number for one side, drawn from the
// result, so a run is checked by the sum of its numbers.
struct workload {
  std::string name;
  int degree = 1;                         // of its cost by the side
  std::vector<int> probed;                // sides at which its costs are measured, ascending
  std::function<void(int side)> prepare;  // makes the input; not thread-safe
  // For prepared sides. Both may be called from many threads at the same time.
  std::function<std::int64_t(int side)> on_cores;
  std::function<std::int64_t(components::device_queue& by, int side)> on_device;
  // A batch of as many inputs of one side, by one launch of each kernel.
  std::function<std::vector<std::int64_t>(components::device_queue& by, int side, std::size_t count)> batch_on_device;
};

workload blur_workload();     // an image, radius 8
workload product_workload();  // two matrices
