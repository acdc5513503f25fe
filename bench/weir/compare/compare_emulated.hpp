#pragma once

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// Components that sleep for their cost, one invocation at a time, so that a machine can divide cores that it does not
// have. The predictor x of each is its milliseconds on one core.

compared_workload emulated_chain(const workload_size& size);
compared_workload emulated_phases(const workload_size& size);
compared_workload emulated_fanout(const workload_size& size);

// M. Sykora, S.-B. Scholz, 2013: three boxes in series. More cores divide nothing, half and all of their work. Five
// records cost 100, 100 and 500 ms, five 200, 300 and 200, five 300, 200 and 600.
compared_workload sykora_boxes(const workload_size& size);

}  // namespace weir::program
