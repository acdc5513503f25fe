#include <weir/scheduler/view/allocation_options.hpp>

#include "scheduler/view/require.hpp"

namespace weir {

void throughput_options::validate() const {
  require_option("throughput_options", growth >= 1, "growth", growth, "1 or more");
  require_option("throughput_options", max_width >= 1, "max_width", max_width, "1 or more");
  require_option("throughput_options", lane_gain >= 0 && lane_gain < 1, "lane_gain", lane_gain, "in [0, 1)");
  require_option("throughput_options", tie >= 0 && tie < 1, "tie", tie, "in [0, 1)");
}

}  // namespace weir
