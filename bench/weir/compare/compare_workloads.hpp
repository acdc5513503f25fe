#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// A workload by name.
struct workload_entry {
  std::string name;
  std::string about;    // one line for --help
  std::string machine;  // "local", or the synthetic topology to emulate if the user names none
  std::function<compared_workload(const workload_size&)> make;

  bool is_emulated() const { return machine != "local"; }
};

// All workloads, in the order of the listing.
const std::vector<workload_entry>& compare_workloads();

// Throws bad_input listing all if there is none of this name.
const workload_entry& find_workload(const std::string& name);

}  // namespace weir::program
