#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/weir/explain/explain_features.hpp"
#include "model/mixture/mixture.hpp"

namespace weir::program {

// A law's statement about one feature, in words and units.
struct factor {
  std::size_t feature = 0;    // index in component_features::all
  std::string words;          // "each overlapping `decode` on the same L3 adds 38 %, 4.1 ms"
  std::string change;         // the change that has the effect: "twice the x", "each further core", "odd x"
  double effect_seconds = 0;  // of that change, at the typical time
  double effect_percent = 0;
  bool is_expected = false;  // x or cores, on which every model's time depends anyway
  double strength = 0;       // effect of a typical difference, in units of the noise about the law
  double certainty = 0;      // absolute value of the coefficient over its standard error
};

// The features that are causes in a mode's law beyond chance, the strongest effect first: at most three beyond x and
// cores, then x and cores. Effects are compared for a typical difference. For a level or switch that is one against
// none, else two standard deviations, which are comparable (A. Gelman, Statistics in Medicine 27, 2008). Beyond chance
// means at least four and a half standard errors, a fifth of the noise, and a hundredth of the time.
std::vector<factor> factors_of(const component_features& features, const mixture_mode& mode, double typical_seconds);

}  // namespace weir::program
