#include "scheduler/view/allocation_options.hpp"

#include <stdexcept>
#include <string>

namespace weir {
namespace {

void require_throughput_option(bool holds, const char* field, double value, const char* range) {
  if (!holds)
    throw std::invalid_argument(std::string("throughput_options: ") + field + " is " + std::to_string(value) +
                                "; it must be " + range);
}

}  // namespace

void throughput_options::validate() const {
  require_throughput_option(growth >= 1, "growth", growth, "1 or more");
  require_throughput_option(max_width >= 1, "max_width", max_width, "1 or more");
  require_throughput_option(lane_gain >= 0 && lane_gain < 1, "lane_gain", lane_gain, "in [0, 1)");
  require_throughput_option(tie >= 0 && tie < 1, "tie", tie, "in [0, 1)");
}

}  // namespace weir
