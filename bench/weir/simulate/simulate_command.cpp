#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "bench/support/interruption.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/controller_constants.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/simulate/simulate_machines.hpp"
#include "bench/weir/simulate/simulate_options.hpp"
#include "bench/weir/simulate/simulate_policies.hpp"
#include "bench/weir/simulate/simulate_report.hpp"
#include "bench/weir/simulate/simulate_results.hpp"
#include "bench/weir/simulate/simulated_page.hpp"

namespace weir::program {
namespace {

void describe(CLI::App& sub, simulate_options& typed) {
  constexpr std::uint64_t most = 1'000'000;
  std::string names;
  for (const known_policy& p : known_policies()) names += p.name + ", ";
  sub.add_option("SCENARIO.json", typed.scenario, "Components and what they cost in truth, arrivals, machine")
      ->required();
  sub.add_option("--policy", typed.policies, "Names, by commas or repeated: " + names + "or all")
      ->capture_default_str();
  sub.add_option("--seed", typed.seed, "Of all that is drawn; the same for every policy")
      ->transform(whole_range(0, most * most))
      ->capture_default_str();
  sub.add_option("--repeat", typed.repeat, "The number of seeds, from --seed on; geometric means and minima")
      ->transform(whole_range(1, most))
      ->capture_default_str();
  sub.add_option("--width", typed.width, "Lanes that every component may have, whatever the scenario says")
      ->transform(whole_range(1, most));
  sub.add_option("--cores", typed.cores, "Cores that there are, instead of as many as the scenario says")
      ->transform(whole_range(1, simulation::scenario::most_cores));
  sub.add_option("--objective", typed.objective,
                 fmt::format("Of weir's own policies, and of the best that could be: {} (records a second)",
                             fmt::join(objective_names(), ", ")))
      ->capture_default_str();
  sub.add_option("--models", typed.models, "What weir's own policies start from: saved models (JSON), by component");
  sub.add_option("--estimator", typed.estimator, "The model of each component of weir's own policies, by name")
      ->capture_default_str();
  sub.add_option("--controller", typed.controller,
                 "A constant of the controller of weir's own policies: NAME=VALUE; may be given again; help lists them")
      ->allow_extra_args(false)
      ->each([](const std::string& text) {
        if (text == "help") throw CLI::CallForVersion(controller_help(), 0);
      });
  sub.add_option("--machines", typed.machines, "Numbers of machines, by commas: 1,4,16,64, in place of the scenario's");
  sub.add_flag("--decisions", typed.decisions,
               "Every move of the first seed: what it promised and gave (otherwise, if there are few)");
  sub.add_option("--report", typed.report, report_help + ": the runs of the first seed");
  sub.add_option("--timeline", typed.timeline,
                 "The course of every run: cores, predicted and observed throughput (CSV)");
  sub.add_flag("--json", typed.json, "For programs");
}

// After Ctrl-C: keeps the seeds that every policy has run; if there is none, the policies that have run the first seed.
void keep_what_ran(simulate_plan& plan, std::vector<simulated_row>& rows) {
  if (rows.size() == plan.seeds.size() * plan.policies.size()) return;
  plan.interrupted = true;
  if (rows.empty()) throw interrupted_early("interrupted before the first simulation was through: nothing to report");
  const std::size_t whole = rows.size() / plan.policies.size();
  if (whole > 0)
    rows.resize(whole * plan.policies.size());
  else
    plan.policies.resize(rows.size());
  plan.seeds.resize(std::max<std::size_t>(whole, 1));
}

int run_simulate(const simulate_options& typed) {
  const interruption by_user;
  simulate_plan plan = plan_of(typed);
  if (!plan.machines.empty()) {
    std::vector<machines_row> on_machines;
    {
      progress_bar bar(plan.machines.size() * plan.seeds.size() * plan.policies.size(), !plan.json);
      on_machines = simulate_machines(
          plan, [&](const std::string& what) { bar.label(what); }, [&] { bar.advance(); });
    }
    plan.interrupted = interruption::asked();
    if (on_machines.empty())
      throw interrupted_early("interrupted before the first simulation was through: nothing to report");
    print(plan.json ? machines_json(plan, on_machines) : machines_text(plan, on_machines));
    return plan.interrupted ? interruption::exit_code() : 0;
  }
  std::vector<simulated_row> rows;
  {
    progress_bar bar(plan.seeds.size() * (plan.policies.size() + 1), !plan.json);
    rows = simulate(
        plan,
        [&](const std::string& policy, std::uint64_t seed) { bar.label(fmt::format("{}, seed {}", policy, seed)); },
        [&] { bar.advance(); });
  }
  if (interruption::asked()) keep_what_ran(plan, rows);
  print(plan.json ? simulate_json(plan, rows) : simulate_text(plan, rows) + decisions_text(plan, rows));
  write_all({[&] {
               if (plan.report) write_page(plan, rows);
             },
             [&] {
               if (plan.timeline) plan.timeline->write(timeline_csv(plan, rows));
             }});
  return plan.interrupted ? interruption::exit_code() : 0;
}

}  // namespace

std::function<int()> add_simulate(CLI::App& app) {
  const auto typed = std::make_shared<simulate_options>();
  CLI::App* const sub = app.add_subcommand(
      "simulate", "A scenario under several policies in virtual time, compared with the best that could be");
  describe(*sub, *typed);
  return [typed] { return run_simulate(*typed); };
}

}  // namespace weir::program
