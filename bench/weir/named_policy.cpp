#include "bench/weir/named_policy.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/weir/bad_input.hpp"
#include "bench/weir/number_list.hpp"
#include "model/estimator.hpp"
#include "scheduler/adaptive.hpp"
#include "scheduler/equal_shares.hpp"
#include "scheduler/fixed_shares.hpp"
#include "scheduler/system_view.hpp"

namespace weir::command {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw bad_input(fmt::format("--policy {}: {}", text, why));
}

// More than any machine has; sums of a few of them do not overflow.
constexpr std::int64_t most_cores = 1 << 20;

fixed_shares parse_shares(const std::string& text, const std::string& list) {
  std::vector<std::pair<std::string, int>> shares;
  for (const std::string& part : split_text(list, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse(text, fmt::format("\"{}\" is not COMPONENT=CORES, as in fixed:generate=1,multiply=1", part));
    const std::int64_t cores = parse_number("--policy " + text, part.substr(equals + 1), 1, most_cores);
    shares.emplace_back(part.substr(0, equals), static_cast<int>(cores));
  }
  return fixed_shares(shares);
}

// The library's messages begin with the name of the rule, which the user has just written.
std::string without_prefix(const std::string& what) {
  const std::string prefix = "fixed_shares: ";
  return what.rfind(prefix, 0) == 0 ? what.substr(prefix.size()) : what;
}

}  // namespace

named_policy parse_policy(const std::string& text) {
  const std::string fixed = "fixed:";
  try {
    if (text == "adaptive") return {text, adaptive{objective::throughput}};
    if (text == "equal") return {text, equal_shares{}};
    if (text.rfind(fixed, 0) == 0) return {text, parse_shares(text, text.substr(fixed.size()))};
  } catch (const std::invalid_argument& e) {
    refuse(text, without_prefix(e.what()));
  }
  refuse(text, "there is no such policy; there are adaptive, equal and fixed:COMPONENT=CORES,...");
}

void require_fits(const named_policy& chosen, const std::vector<std::string>& components, int cores, int max_width) {
  system_view view;
  view.cores = core_set::range(0, cores);
  for (const std::string& name : components) {
    component_view c;
    c.name = name;
    c.model = make_estimator("weir", degree{0});
    c.max_width = max_width;
    view.components.push_back(std::move(c));
  }
  try {
    chosen.rule.decide(view);
  } catch (const std::invalid_argument& e) {
    refuse(chosen.text, without_prefix(e.what()));
  }
}

}  // namespace weir::command
