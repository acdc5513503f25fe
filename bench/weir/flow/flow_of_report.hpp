#pragma once

#include "bench/weir/common/scenario_values.hpp"
#include "bench/weir/flow/flow_file.hpp"

namespace weir::program {

// Reads the JSON of a run (run_report::json). Throws bad_input naming the place.
flow_file flow_of_report(json_object& in);

}  // namespace weir::program
