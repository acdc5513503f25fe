#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/simulate/drawn_scenario.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::command {

// A scenario as a file says it (bench/scenarios/README.md): one network for all seeds, or how to draw one for each.
struct scenario_file {
  std::string name;
  std::optional<simulation::workload> drawn;
  simulation::scenario fixed;  // when it is not drawn

  // The network of a seed.
  simulation::scenario at(std::uint64_t seed) const {
    return drawn ? simulation::random_scenario(*drawn, seed) : fixed;
  }
};

// Reads and checks a scenario. `width`, when given, takes the place of every width in the file. Files that it names
// (models, recorded invocations) lie beside it unless their paths are absolute. Throws bad_input naming the file, the
// place in it, what was found and what was expected; a key that nobody knows is an error.
scenario_file read_scenario(const std::string& path, std::optional<int> width);

}  // namespace weir::command
