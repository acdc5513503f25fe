#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// A scenario file (bench/scenarios/keys.md) as a workload for real threads: each component sleeps for the time that
// `weir simulate` gives the same record of the same seed. Plain data.
struct live_scenario {
  std::string name;
  std::string machine;  // its synthetic topology
  compared_workload work;
};

// Reads it. `records`: in place of the scenario's own number. Throws bad_input for a scenario that cannot be read, and
// for one that only `weir simulate` has: more than a chain with ways back, several machines, cores of several kinds,
// devices, resources, batches, pressure, slow-downs, or phases of cores and links.
live_scenario read_live_scenario(const std::string& path, std::uint64_t seed, std::optional<std::size_t> records);

}  // namespace weir::program
