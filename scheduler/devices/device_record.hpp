#pragma once

#include <cmath>
#include <cstddef>

namespace weir {

enum class device_side { cores, device, either };

// A record at a box with a device, or a batch of several. It waits for a lane of cores or a slot of the device, or runs
// there. Times are in seconds; `began` is by the clock of who asks. Not thread-safe.
struct device_record {
  // Records that wait for the box and that its rule does not know yet.
  virtual std::size_t behind() const = 0;

  // The seconds that it still takes. A record that is late is expected to take as long again as it is late.
  double seconds_left(double now) const { return std::abs(began + expected - now); }

  double x = 1;                               // its predictor value; for a batch the mean
  std::size_t records = 1;                    // in the batch
  device_side planned = device_side::either;  // for which its size was chosen
  double on_cores = 0, on_device = 0;         // that it is expected to take
  bool cores_only = false;                    // the device could not run it
  bool explores = false;                      // it is to run where it is slower, to learn
  int passed = 0;                             // later records that began before it
  double began = 0;                           // where it runs; and then
  double expected = 0;                        // that it takes there
  int in_use = 0;                             // slots in use when it began, its own included

 protected:
  ~device_record() = default;
};

}  // namespace weir
