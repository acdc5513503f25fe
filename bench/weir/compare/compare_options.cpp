#include "bench/weir/compare/compare_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/compare/compare_scenario.hpp"

namespace weir::program {
namespace {

std::vector<std::string> default_rows(const compare_plan& plan, bool has_best, bool fixed) {
  std::vector<std::string> rows{"equal"};
  if (fixed) rows.push_back("fixed");
  if (has_best) rows.push_back(best_fixed_name);
  rows.push_back("adaptive");
  if (plan.work.free_for_all && plan.goal == objective::throughput) rows.push_back(free_for_all_name);
  return rows;
}

// Why there is no best fixed division in hindsight.
std::string why_none(const compare_plan& plan) {
  if (plan.goal != objective::throughput && plan.entry.is_emulated())
    return fmt::format("of workload {} it is known for objective throughput only", plan.entry.name);
  return fmt::format("of {} on {} there are too many fixed divisions, or none",
                     counted(plan.work.components.size(), "component"),
                     counted(static_cast<std::uint64_t>(plan.machine.size()), "core"));
}

void require_known(const std::string& name, const compare_plan& plan, bool has_best, bool fixed) {
  std::vector<std::string> all = policy_names();
  all.insert(all.end(), {"fixed", best_fixed_name, free_for_all_name});
  if (std::find(all.begin(), all.end(), name) == all.end())
    throw bad_input(fmt::format("--policies: there is no policy {}; there are {}", excerpt(name), listed(all)));
  if (name == "fixed" && !fixed)
    throw bad_input("--policies fixed: --fixed says who has how many cores, as in --fixed first=1,second=1");
  if (name == best_fixed_name && !has_best)
    throw bad_input(fmt::format("--policies {}: {}; name one: --fixed", name, why_none(plan)));
  if (name == free_for_all_name && !plan.work.free_for_all)
    throw bad_input(
        fmt::format("--policies {}: not with workload {}, whose components are emulated: they sleep for what "
                    "their grant says, and in a free-for-all there is none",
                    name, plan.entry.name));
  if (name == free_for_all_name && plan.goal != objective::throughput)
    throw bad_input(
        fmt::format("--policies {}: not with objective {}: it takes records as fast as it can", name, plan.objective));
}

void add_runs(compare_plan& plan, const std::string& row, const std::string& typed,
              const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    add_run(plan, row, text, typed, plan.work.components, plan.work.max_width);
    try {
      if (plan.work.try_on) plan.work.try_on(*plan.runs.back().rule);
    } catch (const std::invalid_argument& e) {
      throw bad_input(fmt::format("{}: {}", typed, e.what()));
    }
  }
  plan.rows.push_back(row);
}

void add_policies(compare_plan& plan, const compare_options& typed) {
  // Those of emulated workloads are chosen for throughput.
  const bool is_known = plan.work.fixed_divisions && (plan.goal == objective::throughput || !plan.entry.is_emulated());
  const std::vector<std::string> divisions =
      is_known ? plan.work.fixed_divisions(plan.machine.size()) : std::vector<std::string>();
  const bool has_best = plan.work.best_fixed || !divisions.empty();
  std::vector<std::string> names =
      !typed.policies ? default_rows(plan, has_best, !typed.fixed.empty()) : split_text(*typed.policies, ',');
  for (const std::string& name : names) require_known(name, plan, has_best, !typed.fixed.empty());
  if (!typed.fixed.empty() && std::find(names.begin(), names.end(), "fixed") == names.end()) names.push_back("fixed");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (std::find(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end(), name) != names.end())
      throw bad_input(fmt::format("--policies: {} is listed twice; --repeat repeats all of them", name));
    if (name == "fixed") {
      for (const std::string& shares : typed.fixed) {
        const std::string text = "fixed:" + shares;
        if (std::find(plan.rows.begin(), plan.rows.end(), text) != plan.rows.end())
          throw bad_input(fmt::format("--fixed {}: it is given twice", shares));
        add_runs(plan, text, "--fixed " + shares, {text});
      }
    } else if (name == best_fixed_name && plan.work.best_fixed) {
      plan.runs.push_back(plan.work.best_fixed());
      plan.rows.push_back(name);
    } else if (name == best_fixed_name) {
      add_runs(plan, name, "--policies " + name, divisions);
    } else if (name == free_for_all_name) {
      plan.runs.push_back({name, name});
      plan.rows.push_back(name);
    } else {
      add_runs(plan, name, "--policies " + name, {name});
    }
  }
  const bool has_equal = std::find(plan.rows.begin(), plan.rows.end(), "equal") != plan.rows.end();
  plan.baseline = has_equal ? "equal" : plan.rows.front();
}

compare_plan plan_of_work(const compare_options& typed) {
  if (!typed.scenario) {
    const workload_entry& entry = find_workload(typed.workload);
    return {{}, entry, entry.make({typed.records, typed.scale, typed.seed})};
  }
  live_scenario live = read_live_scenario(*typed.scenario, parse_objective(typed.objective), typed.seed, typed.records);
  return {{}, {live.name, "components of the scenario, emulated", live.machine, nullptr}, std::move(live.work)};
}

}  // namespace

compare_plan plan_of(const compare_options& typed) {
  compare_plan plan = plan_of_work(typed);
  plan.rounds = typed.repeat;
  plan.scale = typed.scale;
  take_options(plan, typed);

  if (plan.entry.is_emulated() && typed.machine == "local")
    throw bad_input(
        fmt::format("--machine local: the components of workload {} are emulated and use no core; name a "
                    "topology, as \"{}\"",
                    plan.entry.name, plan.entry.machine));
  take_machine(plan, typed.machine, plan.entry.machine,
               {"workload " + plan.entry.name, plan.work.fixed_divisions ? plan.work.components.size() : 1,
                plan.entry.is_emulated()});
  if (typed.scenario) plan.entry.about += fmt::format(" ({})", *typed.scenario);
  add_policies(plan, typed);

  require_different({{"--report", typed.files.report}, {"--trace", typed.files.trace}, {"--out", typed.files.out}});
  open_files(plan, typed.files);
  return plan;
}

}  // namespace weir::program
