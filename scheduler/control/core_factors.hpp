#pragma once

#include <memory>
#include <vector>

#include <weir/model/estimator.hpp>

namespace weir {

// True over expected time of a component, as a function of the cores of an invocation. Its logarithm is piecewise
// linear in log2(cores) and constant outside. Plain data.
struct core_factors {
  std::vector<double> octaves;     // log2 of numbers of cores, ascending
  std::vector<double> log_factor;  // there; as many

  // The factor; 1 where nothing is known. REQUIRES: cores >= 1.
  double operator()(int cores) const;
};

// A model whose times are corrected by factors. It refers to the model, and never learns.
// `believes_fewer`: the model is believed on fewer cores than it has seen (known_cores::smallest).
std::shared_ptr<const estimator> corrected(std::shared_ptr<const estimator> model, core_factors by,
                                           bool believes_fewer);

}  // namespace weir
