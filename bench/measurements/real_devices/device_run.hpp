#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <weir/weir.hpp>
#include "bench/measurements/real_devices/opened_device.hpp"
#include "bench/measurements/real_devices/workload.hpp"

// The placement of records.
struct way {
  std::string name;
  bool has_device = true;
  std::optional<double> from;  // a side; none: it is learnt
};

struct outcome {
  double per_second = 0;
  double crossing = std::numeric_limits<double>::quiet_NaN();  // learnt, a side
  double on_device = 0;                                        // part of the records
  std::int64_t sum = 0;                                        // of the numbers of all results
  std::uint64_t errors = 0;                                    // of the device, whose records ran on cores
};

// A run of one box over inputs of these sides. In the second third of them the device does all work `repeats` times.
outcome device_run(const workload& of, const std::vector<int>& sides, const way& by, const opened_device& device,
                   const weir::device& slots, int repeats);

// A run over as many inputs of one side, all on the device, in batches of `size` or, if it is learnt, of `size` at
// most.
struct batch_outcome {
  double per_second = 0;
  double together = 1;       // records of an invocation on the device, on average
  std::int64_t sum = 0;      // of the numbers of all results
  std::uint64_t errors = 0;  // of the device
};
batch_outcome batch_run(const workload& of, int side, std::size_t records, int size, bool is_learnt,
                        const opened_device& device, const weir::device& slots);

// A run of two blurs behind each other, all on the device. The value between them stays there, or is copied to main
// memory and back.
struct chain_outcome {
  double per_second = 0;
  double copies = 0;         // for each record
  std::uint64_t errors = 0;  // of the device
};
chain_outcome chain_run(int side, int records, bool stays, const opened_device& device, const weir::device& slots);
