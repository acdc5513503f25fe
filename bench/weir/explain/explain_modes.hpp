#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/explain/explain_factors.hpp"
#include "bench/weir/explain/explain_features.hpp"
#include "model/mixture/mixture.hpp"

namespace weir::program {

// A feature that most of a mode's invocations share and few others have: the range of its middle nine tenths there, or
// the levels of nine tenths of them.
struct apart {
  std::size_t feature = 0;          // index in component_features::all
  double low = 0, high = 0;         // in the feature's unit; for one without levels
  std::vector<std::string> levels;  // for one with levels
  double alone = 0;                 // the share of the other modes' invocations that it excludes
  double together = 0;              // the share that it and the features named before it exclude
};

// An invocation worth inspecting.
struct example {
  std::uint32_t position = 0;  // see invocation::position
  double start = 0, seconds = 0;
  double residual = 0;  // of its time about the mode's law, in units of the noise
};

// A mode in a form for people.
struct explained_mode {
  double share = 0;  // of the invocations
  std::uint64_t invocations = 0;
  double typical_seconds = 0, low_seconds = 0, high_seconds = 0;  // median, 5 % and 95 %
  std::vector<apart> set_apart;                                   // at most three, chosen greedily
  std::vector<factor> factors;                                    // at most three beyond x and cores
  std::vector<example> representatives;                           // the three where the mode is densest
  std::vector<example> outliers;  // the three farthest from its law, beyond four times its noise
};

// The modes of a mixture that was fitted to the features' data, in its order. Modes that are not any invocation's most
// probable one are left out.
std::vector<explained_mode> modes_of(const component_features& features, const mixture_model& model);

}  // namespace weir::program
