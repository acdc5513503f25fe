#include "bench/weir/simulate/simulate_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include <weir/options/saved_models.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/controller_constants.hpp"
#include "bench/weir/common/models_file.hpp"
#include "bench/weir/common/named_estimator.hpp"
#include "bench/weir/common/named_policy.hpp"

namespace weir::program {
namespace {

std::vector<std::string> policies_of(const std::vector<std::string>& typed, const scenario_file& file) {
  const std::vector<known_policy> known = known_policies();
  const auto is_given = [&](const std::string& name) { return name != "fixed" || !file.fixed.fixed.empty(); };
  std::vector<std::string> result, names{"all"};
  for (const known_policy& p : known) names.push_back(p.name);
  std::vector<std::string> met;
  const auto add_to = [](std::vector<std::string>& all, const std::string& name) {
    const bool is_new = std::find(all.begin(), all.end(), name) == all.end();
    if (is_new) all.push_back(name);
    return is_new;
  };
  for (const std::string& list : typed)
    for (const std::string& name : split_text(list, ',')) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw bad_input(fmt::format("--policy: there is no policy {}; there are {}", excerpt(name), listed(names)));
      if (!is_given(name)) throw bad_input("--policy: the scenario has no key \"fixed\" that says what fixed gives");
      if (!add_to(met, name))
        throw bad_input(fmt::format("--policy: {} is listed twice; --repeat repeats all of them", name));
      if (name != "all") add_to(result, name);
      for (const known_policy& p : known)
        if (name == "all" && p.is_among_all && is_given(p.name)) add_to(result, p.name);
    }
  return result;
}

// The models of a file for the scenario's components.
std::map<std::string, std::shared_ptr<const estimator>> models_of(const std::string& path,
                                                                  const simulation::scenario& of) {
  std::vector<std::string> names;
  for (const simulation::simulated_component& c : of.components) names.push_back(c.name);
  std::map<std::string, std::shared_ptr<const estimator>> models;
  for (const auto& [name, saved] : read_models_file(path)) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw bad_input(fmt::format("--models: {} has a model of {}, which is no component of the scenario; there are {}",
                                  path, excerpt(name), listed(names)));
    try {
      models.emplace(name, model_of_one_x(saved));
    } catch (const std::invalid_argument& e) {
      throw bad_input(fmt::format("--models: {}: component {}: {}", path, excerpt(name), e.what()));
    }
  }
  return models;
}

own_settings own_of(const simulate_options& typed, const simulation::scenario& of) {
  own_settings own;
  own.goal = parse_objective(typed.objective);
  for (const simulation::simulated_component& c : of.components)
    require_estimator("--estimator", typed.estimator, c.degree);
  own.estimator = typed.estimator;
  for (const std::string& one : typed.controller) set_controller(own.control, one);
  if (typed.models) own.models = models_of(*typed.models, of);
  return own;
}

// The scenario on another number of cores.
void set_cores(std::int64_t cores, scenario_file& file, const std::string& path) {
  if (file.machines) throw bad_input("--cores: the scenario has \"machines\", each of which says its own cores");
  (file.drawn ? file.drawn->cores : file.fixed.cores) = static_cast<int>(cores);
  try {
    file.at(1).validate();
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("--cores: {} on {} cores: {}", path, cores, e.what()));
  }
}

// On several machines there is no hindsight: what was the best division of each is not looked for.
void plan_machines(const simulate_options& typed, simulate_plan& plan) {
  constexpr std::int64_t most_machines = 4096;
  if (typed.machines && !plan.file.machines)
    throw bad_input("--machines: the scenario has no key \"machines\" that says what they are like");
  if (!plan.file.machines) return;
  plan.machines = {plan.file.machines->machines()};
  if (typed.machines) {
    plan.machines.clear();
    for (std::int64_t n : parse_list("--machines", *typed.machines, 1, most_machines))
      plan.machines.push_back(static_cast<int>(n));
  }
  const std::pair<const char*, bool> others[] = {{"--report", typed.report.has_value()},
                                                 {"--timeline", typed.timeline.has_value()},
                                                 {"--decisions", typed.decisions}};
  for (const auto& [option, is_given] : others)
    if (is_given) throw bad_input(fmt::format("{}: not on several machines, which decide by themselves", option));
  if (typed.policies == std::vector<std::string>{"all"}) plan.policies = {"equal", "adaptive"};
  for (const std::string& policy : plan.policies)
    if (policy == "fixed" || policy == "best-fixed" || policy == "clairvoyant")
      throw bad_input(fmt::format("--policy: {} is not simulated on several machines", policy));
}

}  // namespace

simulate_plan plan_of(const simulate_options& typed) {
  simulate_plan plan;
  plan.path = typed.scenario;
  plan.file = read_scenario(typed.scenario, typed.width ? std::optional(static_cast<int>(*typed.width)) : std::nullopt);
  if (typed.cores) set_cores(*typed.cores, plan.file, typed.scenario);
  plan.policies = policies_of(typed.policies, plan.file);
  for (std::int64_t i = 0; i < typed.repeat; ++i) plan.seeds.push_back(static_cast<std::uint64_t>(typed.seed + i));
  plan.objective = typed.objective;
  plan.own = own_of(typed, plan.file.at(plan.seeds.front()));
  plan.decisions = typed.decisions;
  plan.json = typed.json;
  plan_machines(typed, plan);
  require_different({{"--report", typed.report}, {"--timeline", typed.timeline}});
  if (typed.report) plan.report.emplace(*typed.report);
  if (typed.timeline) plan.timeline.emplace("--timeline", *typed.timeline);
  return plan;
}

}  // namespace weir::program
