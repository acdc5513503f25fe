#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/field/common/arrival_clock.hpp"

namespace weir::field_bench::ferret {

// The queries of a run and when they arrive; without times all are there. Plain data.
struct workload {
  std::size_t queries = 0;
  std::uint64_t seed = 1;
  std::vector<double> arrivals;  // seconds since the start, ascending
};

// One run. Plain data.
struct outcome {
  run_times times;        // latencies until a query is ranked
  std::uint64_t sum = 0;  // over all queries
};

}  // namespace weir::field_bench::ferret
