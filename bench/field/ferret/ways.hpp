#pragma once

#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include "bench/field/ferret/search.hpp"
#include "bench/field/ferret/workload.hpp"

namespace weir::field_bench::ferret {

outcome by_weir(const workload& what, const picture_index& in, const policy& rule);
std::string weir_report(const workload& what, const picture_index& in);  // of a run under adaptive, as JSON
outcome by_pipeline(const workload& what, const picture_index& in,
                    int threads);  // oneTBB, 4 tokens a thread; one thread more reads
outcome by_taskflow(const workload& what, const picture_index& in,
                    int threads);  // as by_pipeline; where its headers were found
outcome by_fastflow(const workload& what, const picture_index& in,
                    int threads);  // workers a farm; where its headers were found
outcome by_threads(const workload& what, const picture_index& in, int threads);  // each takes a query through all
outcome by_loop(const workload& what, const picture_index& in);

std::vector<std::string> weir_components();

}  // namespace weir::field_bench::ferret
