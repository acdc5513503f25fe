#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/weir/explain/explain_features.hpp"
#include "model/mixture/mixture.hpp"

namespace weir::command {

// What a law says of one feature, in words and units.
struct factor {
  std::size_t feature = 0;    // index in component_features::all
  std::string words;          // "each overlapping `decode` on the same L3 adds 38 %, 4.1 ms"
  std::string change;         // what the effect is of: "twice the x", "each further core", "odd x"
  double effect_seconds = 0;  // of that change, at the typical time
  double effect_percent = 0;
  bool is_expected = false;  // of x or cores, which every model of a component knows that its time goes with
  double strength = 0;       // of a typical difference of the feature, in units of the noise about the law
  double certainty = 0;      // coefficient over its standard error, sign left out
};

// The features that a mode's law finds a cause in beyond chance, the strongest effect first: at most three beyond x
// and cores, and after them x and cores. Effects are compared for a typical difference: a level or switch against none,
// else two standard deviations, which is as much (A. Gelman, Statistics in Medicine 27, 2008). Beyond chance is four
// and a half standard errors, a fifth of the noise, and a hundredth of the time.
std::vector<factor> factors_of(const component_features& features, const mixture_mode& mode, double typical_seconds);

}  // namespace weir::command
