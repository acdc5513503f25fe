#pragma once

#include <string>
#include <utility>

#include <weir/model/estimator.hpp>
#include "model/law/coverage.hpp"

namespace weir {

// The description of an estimator that knows no more than its observations.
inline description described(std::string name, const coverage& seen) {
  description out;
  out.estimator = std::move(name);
  out.alpha = optimistic_alpha;
  out.observations = seen.observations;
  out.smallest_cores = seen.smallest_cores;
  out.largest_cores = seen.largest_cores;
  out.smallest_x = seen.smallest_x;
  out.largest_x = seen.largest_x;
  return out;
}

}  // namespace weir
