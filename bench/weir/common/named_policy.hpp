#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/objective.hpp>

namespace weir::program {

// A policy and its text as the user wrote it, and the option that it stands behind, for messages.
struct named_policy {
  std::string text;
  policy rule;
  std::string typed;  // "--policy equal", "--fixed first=1"
};

// The goal of an adaptive policy, by name: "throughput", "latency", or "latency_at:40" (records per second). Throws
// bad_input that lists the known names or quotes the invalid rate.
objective parse_objective(const std::string& text);
std::vector<std::string> objective_names();

// The policies that are a name alone: "adaptive", "best-fixed-by-model" (adaptive's choice, made once), "equal" and
// "shared" (all components share all cores).
std::vector<std::string> policy_names();

// Throws bad_input for an objective other than throughput, where none of these policies has one.
void require_objective_used(const std::string& objective, const std::vector<std::string>& policies);

// One of these, or "fixed:generate=1,multiply=4x2": cores by component, and lanes if they are not one. Components that
// are not named share the rest. `typed`: as in named_policy; empty: "--policy TEXT". Throws bad_input that begins with
// that and quotes the part that it does not understand.
named_policy parse_policy(const std::string& text, const objective& goal = objective::throughput,
                          const std::string& typed = "");

// Throws bad_input if the policy cannot be applied to these components on `cores` cores, each with at most `max_width`
// concurrent invocations. It asks the policy itself, so it refuses exactly what a run would refuse.
void require_fits(const named_policy& chosen, const std::vector<std::string>& components, int cores, int max_width);

// Whether the library refused fixed shares of the cores, and nothing else of a run.
bool is_about_shares(const std::invalid_argument& why);

// Throws bad_input about what the library refused the policy for.
[[noreturn]] void refuse(const named_policy& chosen, const std::invalid_argument& why);

}  // namespace weir::program
