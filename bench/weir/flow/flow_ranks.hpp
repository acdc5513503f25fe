#pragma once

#include <string>
#include <vector>

#include "bench/weir/common/scenario_values.hpp"
#include "bench/weir/flow/flow_file.hpp"

namespace weir::command {

// Of the report of a run on several ranks: the machines, links as measured, what ran where, and the bytes of records
// where the run knew them. `names` are those of the components. Throws bad_input as read_flow().
void read_ranks(json_object& in, const std::vector<std::string>& names, flow_file& file);

}  // namespace weir::command
