#include "bench/weir/learnt_json.hpp"

#include <cmath>

namespace weir::command {

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json learnt_json(const description& learnt) {
  json coefficients = json::array();
  for (const double c : learnt.coefficients) coefficients.push_back(number(c));
  return {{"alpha", number(learnt.alpha)},
          {"alpha_known", learnt.alpha_known},
          {"coefficients", coefficients},
          {"serial_fraction", number(1 - learnt.alpha)},
          {"contention", number(learnt.contention)},
          {"fork_join", number(learnt.fork_join)},
          {"scatter", number(learnt.scatter)},
          {"observations", learnt.observations},
          {"smallest_x", number(learnt.smallest_x)},
          {"largest_x", number(learnt.largest_x)},
          {"smallest_cores", learnt.smallest_cores},
          {"largest_cores", learnt.largest_cores},
          {"words", learnt.words}};
}

}  // namespace weir::command
