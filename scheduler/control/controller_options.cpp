#include "scheduler/control/controller_options.hpp"

#include <stdexcept>
#include <string>

#include "model/number_text.hpp"

namespace weir {
namespace {

void require_controller_option(bool holds, const char* field, double value, const char* range) {
  if (!holds)
    throw std::invalid_argument(std::string("controller_options: ") + field + " is " + in_digits(value) +
                                "; it must be " + range);
}

}  // namespace

void controller_options::validate() const {
  require_controller_option(min_gain >= 0, "min_gain", min_gain, "0 or more");
  require_controller_option(noise_weight >= 0, "noise_weight", noise_weight, "0 or more");
  require_controller_option(patience >= 1, "patience", patience, "1 or more");
  require_controller_option(early_patience >= 1, "early_patience", early_patience, "1 or more");
  require_controller_option(move_cost >= 0, "move_cost", move_cost, "0 or more");
  require_controller_option(horizon > 0, "horizon", horizon, "more than 0");
  require_controller_option(kept_part >= 0 && kept_part <= 1, "kept_part", kept_part, "in [0, 1]");
  require_controller_option(block_for >= 0, "block_for", block_for, "0 or more");
  require_controller_option(exploration_threshold >= 0, "exploration_threshold", exploration_threshold, "0 or more");
  require_controller_option(explored_part >= 0 && explored_part <= 1, "explored_part", explored_part, "in [0, 1]");
  require_controller_option(settle_after >= 1, "settle_after", settle_after, "1 or more");
}

}  // namespace weir
