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

// Reads it. `records`: in place of the scenario's own number. Throws bad_input for a scenario that cannot be read or
// cannot be run: anything but a chain with ways back, and what threads cannot emulate, such as devices and slow-downs.
live_scenario read_live_scenario(const std::string& path, const objective& goal, std::uint64_t seed,
                                 std::optional<std::size_t> records);

}  // namespace weir::program
