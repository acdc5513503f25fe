#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/explain/explain_modes.hpp"
#include "bench/weir/explain/explain_options.hpp"
#include "model/mixture/mixture_fit.hpp"

namespace weir::program {

// The findings about one component.
struct explained_component {
  std::string name;
  std::uint64_t invocations = 0;
  double typical_seconds = 0;
  bool has_structure = false;  // false: the features do not explain its times, which are noise
  std::vector<feature> features;
  std::uint64_t overlaps_left_out = 0;  // overlaps that the times do not depend on
  std::vector<factor> factors;          // over all invocations, by one law; at most three beyond x and cores
  std::vector<explained_mode> modes;
  std::vector<mixture_candidate> tried;
  std::vector<std::string> notes;
};

// Features, mixture and words of a component. The same seed gives the same result.
explained_component explained(const observed_run& run, std::uint32_t component, const overlap_sweep& sweep,
                              const explain_plan& plan);

}  // namespace weir::program
