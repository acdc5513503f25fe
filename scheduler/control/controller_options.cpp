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
  require_controller_option(early_patience >= 1, "early_patience", early_patience, "1 or more");
  require_controller_option(ask_every >= 1, "ask_every", ask_every, "1 or more");
  require_controller_option(patience >= 1, "patience", patience, "1 or more");
  require_controller_option(move_cost >= 0, "move_cost", move_cost, "0 or more");
  require_controller_option(trial > 0, "trial", trial, "more than 0");
  require_controller_option(least_horizon > 0, "least_horizon", least_horizon, "more than 0");
  require_controller_option(horizon > 0, "horizon", horizon, "more than 0");
  require_controller_option(settle_after >= 1, "settle_after", settle_after, "1 or more");
}

}  // namespace weir
