#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include "bench/field/common/arrival_clock.hpp"
#include "bench/field/ferret/search.hpp"

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

outcome by_weir(const workload& what, const picture_index& in, const policy& rule);
std::string weir_report(const workload& what, const picture_index& in);  // of a run under adaptive, as JSON
outcome by_pipeline(const workload& what, const picture_index& in,
                    int threads);  // oneTBB, 4 tokens a thread; one thread more reads
outcome by_taskflow(const workload& what, const picture_index& in,
                    int threads);  // as by_pipeline; where its headers were found
outcome by_threads(const workload& what, const picture_index& in, int threads);  // each takes a query through all
outcome by_loop(const workload& what, const picture_index& in);

std::vector<std::string> weir_components();

}  // namespace weir::field_bench::ferret
