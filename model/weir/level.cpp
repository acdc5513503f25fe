#include "model/weir/level.hpp"

#include <algorithm>

namespace weir {

level level::of(const ratio_sketch& ratios, double law_scatter) {
  const ratio_sketch::ratio_moments ratio = ratios.moments(law_scatter);
  const double difference = ratio.mean - 1, square = difference * difference;
  const double chance = ratio.deviation * ratio.deviation / ratio.count;
  if (!(square > 0)) return {};
  level out{1 + difference * square / (square + chance)};
  const double deviation = ratio.deviation / out.mean;
  const double further = std::max(deviation * deviation - law_scatter * law_scatter, 0.0);
  out.scatter = static_cast<float>(further);
  out.error = static_cast<float>(further / ratio.count);
  return out;
}

}  // namespace weir
