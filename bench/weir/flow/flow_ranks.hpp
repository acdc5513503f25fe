#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/weir/common/machines_file.hpp"
#include "bench/weir/common/scenario_values.hpp"

namespace weir::program {

// The ranks of a run as machines. Plain data.
struct ranks_of_run {
  cluster machines;                     // links as measured
  std::vector<component_place> places;  // what ran where, and the bytes of records where the run knew them
  double bytes = 0;                     // of a record that enters
  std::vector<std::string> assumed;     // one sentence each
};

// Reads the ranks of a report; none if it was one process. `names` are those of the components. Throws bad_input naming
// the place, what was found and what was expected.
std::optional<ranks_of_run> read_ranks(json_object& in, const std::vector<std::string>& names);

}  // namespace weir::program
