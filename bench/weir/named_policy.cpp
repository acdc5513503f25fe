#include "bench/weir/named_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

// fixed_shares with other numbers of lanes than one.
class fixed_lanes : public allocation_rule {
 public:
  fixed_lanes(fixed_shares shares, std::map<std::string, int> lanes)
      : shares_(std::move(shares)), lanes_(std::move(lanes)) {}

  std::string name() const override { return shares_.name(); }
  allotment decide(const system_view& view) const override {
    allotment given = shares_.decide(view);
    for (std::size_t i = 0; i < given.components.size(); ++i) {
      const component_view& c = view.components[i];
      const auto found = lanes_.find(c.name);
      if (found == lanes_.end()) continue;
      if (found->second > c.max_width)
        throw std::invalid_argument(
            fmt::format("\"{}\" is given {} lanes and may have {}", c.name, found->second, c.max_width));
      given.components[i].width = found->second;
    }
    return given;
  }

 private:
  fixed_shares shares_;
  std::map<std::string, int> lanes_;
};

fixed_lanes parse_shares(const std::string& text, const std::string& list) {
  std::vector<std::pair<std::string, int>> shares;
  std::map<std::string, int> lanes;
  for (const std::string& part : split_text(list, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse(text, fmt::format("\"{}\" is not COMPONENT=CORES, as in fixed:generate=1,multiply=1", part));
    const std::string component = part.substr(0, equals), numbers = part.substr(equals + 1);
    const auto times = std::min(numbers.find('x'), numbers.size());
    const std::int64_t cores = parse_number("--policy " + text, numbers.substr(0, times), 1, most_cores);
    shares.emplace_back(component, static_cast<int>(cores));
    if (times < numbers.size())
      lanes[component] = static_cast<int>(parse_number("--policy " + text, numbers.substr(times + 1), 1, cores));
  }
  return {fixed_shares(shares), std::move(lanes)};
}

// Policies that are a name alone.
struct policy_entry {
  std::string name;
  policy (*make)(const objective& goal);
};

const std::vector<policy_entry>& policies() {
  static const std::vector<policy_entry> all{{"adaptive", [](const objective& goal) { return policy(adaptive{goal}); }},
                                             {"equal", [](const objective&) { return policy(equal_shares{}); }}};
  return all;
}

const std::map<std::string, objective>& objectives() {
  static const std::map<std::string, objective> all{{"throughput", objective::throughput}};
  return all;
}

// The library's messages begin with the name of the rule, which the user has just written.
std::string without_prefix(const std::string& what) {
  const std::string prefix = "fixed_shares: ";
  return what.rfind(prefix, 0) == 0 ? what.substr(prefix.size()) : what;
}

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const policy_entry& p : policies()) names.push_back(p.name);
  return names;
}

std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for (const auto& [name, goal] : objectives()) names.push_back(name);
  return names;
}

objective parse_objective(const std::string& text) {
  const auto found = objectives().find(text);
  if (found != objectives().end()) return found->second;
  throw bad_input(
      fmt::format("--objective: there is no objective \"{}\"; there are {}", text, fmt::join(objective_names(), ", ")));
}

named_policy parse_policy(const std::string& text, const objective& goal) {
  const std::string fixed = "fixed:";
  try {
    for (const policy_entry& p : policies())
      if (text == p.name) return {text, p.make(goal)};
    if (text.rfind(fixed, 0) == 0) return {text, parse_shares(text, text.substr(fixed.size()))};
  } catch (const std::invalid_argument& e) {
    refuse(text, without_prefix(e.what()));
  }
  refuse(text, fmt::format("there is no such policy; there are {} and fixed:COMPONENT=CORES,...",
                           fmt::join(policy_names(), ", ")));
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
