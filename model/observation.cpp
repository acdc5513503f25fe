#include <weir/model/observation.hpp>

#include <cmath>

namespace weir {

bool is_usable(const observation& seen) {
  return !seen.after_move && std::isfinite(seen.x) && seen.x >= 0 && seen.cores >= 1 && seen.seconds >= 1e-12 &&
         seen.seconds <= 1e12;
}

}  // namespace weir
