#include "bench/weir/common/named_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include <weir/model/estimator.hpp>
#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/best_fixed.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

[[noreturn]] void refuse(const std::string& typed, const std::string& why) {
  throw bad_input(fmt::format("{}: {}", typed, why));
}

// More cores than any machine has; sums of a few such numbers do not overflow.
constexpr std::int64_t most_cores = 1 << 20;

fixed_shares parse_shares(const std::string& typed, const std::string& list) {
  std::vector<fixed_share> shares;
  for (const std::string& part : split_text(list, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse(typed, fmt::format("\"{}\" is not COMPONENT=CORES, as in fixed:generate=1,multiply=1", part));
    const std::string numbers = part.substr(equals + 1);
    const auto times = std::min(numbers.find('x'), numbers.size());
    const std::int64_t cores = parse_number(typed, numbers.substr(0, times), 1, most_cores);
    const std::int64_t lanes = times < numbers.size() ? parse_number(typed, numbers.substr(times + 1), 1, cores) : 1;
    shares.push_back({part.substr(0, equals), static_cast<int>(cores), static_cast<int>(lanes)});
  }
  return fixed_shares(std::move(shares));
}

// Policies that consist of a name alone.
struct policy_entry {
  std::string name;
  bool has_objective;
  policy (*make)(const objective& goal);
};

const std::vector<policy_entry>& entries() {
  static const std::vector<policy_entry> all{
      {"adaptive", true, [](const objective& goal) { return policy(adaptive{goal}); }},
      {"best-fixed-by-model", true, [](const objective& goal) { return policy(best_fixed{goal}); }},
      {"equal", false, [](const objective&) { return policy(equal_shares{}); }},
      {"shared", false, [](const objective&) { return policy(fixed_shares({})); }}};
  return all;
}

// In records per second: from one in twelve days to more than any machine takes.
constexpr double least_rate = 1e-6, most_rate = 1e12;

// A time with its unit: 200ms, 1.5s.
std::chrono::duration<double> parse_duration(const std::string& option, const std::string& text) {
  constexpr double least_seconds = 1e-6, most_seconds = 1e6;
  const bool in_milliseconds = text.ends_with("ms");
  if (!text.ends_with("s"))
    throw bad_input(fmt::format("{}: {} is no time with its unit, as in 200ms or 1.5s", option, excerpt(text)));
  const double unit = in_milliseconds ? 1e-3 : 1;
  const std::string number = text.substr(0, text.size() - (in_milliseconds ? 2 : 1));
  return std::chrono::duration<double>(
      parse_reals(option, number, least_seconds / unit, most_seconds / unit, 1).front() * unit);
}

// The library's messages begin with the name of the rule, which the user has just typed.
const std::string rule_prefix = "fixed_shares: ";

std::string without_prefix(const std::string& what) {
  return what.starts_with(rule_prefix) ? what.substr(rule_prefix.size()) : what;
}

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const policy_entry& p : entries()) names.push_back(p.name);
  return names;
}

void require_objective_used(const std::string& objective, const std::vector<std::string>& policies) {
  std::vector<std::string> with_one;
  for (const policy_entry& p : entries())
    if (p.has_objective) with_one.push_back(p.name);
  const auto has_one = [&](const std::string& name) {
    return std::find(with_one.begin(), with_one.end(), name) != with_one.end();
  };
  if (objective == "throughput" || std::any_of(policies.begin(), policies.end(), has_one)) return;
  throw bad_input(fmt::format("--objective {}: it is of {}, and has no effect on {}", objective,
                              fmt::join(with_one, " and "), listed(policies)));
}

std::vector<std::string> objective_names() {
  return {"throughput", "latency", "latency_at:RATE", "fewest_cores:RATE[:P99]"};
}

objective parse_objective(const std::string& text) {
  if (text == "throughput") return objective::throughput;
  if (text == "latency") return objective::latency;
  const std::string at = "latency_at:";
  if (text.rfind(at, 0) == 0)
    return objective::latency_at(
        parse_reals("--objective " + text, text.substr(at.size()), least_rate, most_rate, 1).front());
  if (const std::string fewest = "fewest_cores:"; text.rfind(fewest, 0) == 0) {
    const std::vector<std::string> parts = split_text(text.substr(fewest.size()), ':');
    const std::string option = "--objective " + text;
    if (parts.size() > 2) throw bad_input(option + ": it is fewest_cores:RATE or fewest_cores:RATE:P99");
    stream_demand asked{parse_reals(option, parts[0], least_rate, most_rate, 1).front()};
    if (parts.size() == 2) asked.p99 = parse_duration(option, parts[1]);
    return objective::fewest_cores(asked);
  }
  throw bad_input(
      fmt::format("--objective: there is no objective \"{}\"; there are {}", text, fmt::join(objective_names(), ", ")));
}

named_policy parse_policy(const std::string& text, const objective& goal, const std::string& as_typed) {
  const std::string fixed = "fixed:", typed = as_typed.empty() ? "--policy " + text : as_typed;
  try {
    for (const policy_entry& p : entries())
      if (text == p.name) return {text, p.make(goal), typed};
    if (text.rfind(fixed, 0) == 0) return {text, parse_shares(typed, text.substr(fixed.size())), typed};
  } catch (const std::invalid_argument& e) {
    refuse(typed, without_prefix(e.what()));
  }
  refuse(typed, fmt::format("there is no such policy; there are {} and fixed:COMPONENT=CORES,...",
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
    refuse(chosen, e);
  }
}

bool is_about_shares(const std::invalid_argument& why) { return std::string(why.what()).starts_with(rule_prefix); }

void refuse(const named_policy& chosen, const std::invalid_argument& why) {
  refuse(chosen.typed, without_prefix(why.what()));
}

}  // namespace weir::program
