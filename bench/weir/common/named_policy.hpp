#pragma once

#include <string>
#include <vector>

#include "scheduler/policies/policy.hpp"
#include "scheduler/view/objective.hpp"

namespace weir::command {

// A policy and how the user wrote it.
struct named_policy {
  std::string text;
  policy rule;
};

// What an adaptive policy can be asked to achieve, by name: "throughput", "latency", or "latency_at:40" (records a
// second). Throws bad_input listing those that exist, or naming the rate that is none.
objective parse_objective(const std::string& text);
std::vector<std::string> objective_names();

// The policies that are a name alone: "adaptive", "best-fixed-by-model" (what it would choose once) and "equal".
std::vector<std::string> policy_names();

// One of these, or "fixed:generate=1,multiply=4x2" (cores by component, and lanes when they are not one; who is
// not named shares the rest). Throws bad_input naming what is not understood.
named_policy parse_policy(const std::string& text, const objective& goal = objective::throughput);

// Throws bad_input when the policy cannot be applied to these components, each with at most `max_width` invocations at
// once, on so many cores: by asking it, so that what is refused here is exactly what a run would refuse.
void require_fits(const named_policy& chosen, const std::vector<std::string>& components, int cores, int max_width);

}  // namespace weir::command
