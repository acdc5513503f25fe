#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/weir/common/machines_file.hpp"
#include "scheduler/simulate/placed_scenario.hpp"
#include "scheduler/simulate/random_scenario.hpp"

namespace weir::program {

// A scenario file (bench/scenarios/README.md): one network for all seeds, or a recipe to draw one per seed.
struct scenario_file {
  std::string name;
  std::optional<simulation::workload> drawn;
  simulation::scenario fixed;  // if it is not drawn

  std::optional<cluster> machines;      // several, or one with links
  std::vector<component_place> places;  // by component
  double bytes = 0;                     // of a record that enters

  // The network of a seed.
  simulation::scenario at(std::uint64_t seed) const {
    return drawn ? simulation::random_scenario(*drawn, seed) : fixed;
  }

  // The network on machines. REQUIRES: machines.
  simulation::placed_scenario on_machines() const;
};

// Reads and checks a scenario. `width`, if given, replaces every width in the file. Files that it names (models,
// recorded invocations) are relative to its folder. Throws bad_input naming the file, the place in it, what was found
// and what was expected; an unknown key is an error.
scenario_file read_scenario(const std::string& path, std::optional<int> width);

}  // namespace weir::program
