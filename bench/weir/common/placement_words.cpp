#include "bench/weir/common/placement_words.hpp"

#include <fmt/format.h>

#include "bench/support/readable.hpp"
#include "bench/weir/common/learnt_json.hpp"

namespace weir::program {

std::string advice_text(const placement_advice& advice, const network_model& network) {
  if (advice.steps.empty()) return "suggestion: none; no other places were found that are worth it\n";
  std::string text = fmt::format("suggestion: {:.4g} records/s instead of {:.4g} ({:+.0f} %), with\n", advice.then,
                                 advice.now, 100 * advice.gain());
  for (const placement_advice::step& step : advice.steps)
    text += fmt::format("  {}{}\n", printable(to_string(step, network)),
                        &step == &advice.steps.front() ? "" : ", with those before");
  return text;
}

nlohmann::json advice_json(const placement_advice& advice, const network_model& network) {
  if (advice.steps.empty()) return nullptr;
  nlohmann::json steps = nlohmann::json::array();
  for (const placement_advice::step& step : advice.steps) {
    nlohmann::json names = nlohmann::json::array();
    for (const std::size_t i : step.components) names.push_back(network.components[i].name);
    steps.push_back({{"components", names},
                     {"machine", step.machine},
                     {"throughput_per_second", number(step.throughput)},
                     {"words", to_string(step, network)}});
  }
  return {{"throughput_per_second", number(advice.then)}, {"gain", number(advice.gain())}, {"steps", steps}};
}

}  // namespace weir::program
