#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "bench/support/interruption.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/compare/compare_options.hpp"
#include "bench/weir/compare/compare_report.hpp"
#include "bench/weir/compare/compare_summary.hpp"

namespace weir::program {
namespace {

constexpr int most_rounds = 10000;     // this many take days
constexpr int most_records = 1000000;  // every observation is kept until the end

void describe(CLI::App& sub, compare_options& typed) {
  std::string workloads = "One of\n";
  for (const workload_entry& w : compare_workloads())
    workloads += fmt::format("  {:<9} {}{}\n", w.name, w.about, w.is_emulated() ? " (" + w.machine + ")" : "");
  CLI::Option* const workload = sub.add_option("--workload", typed.workload, workloads)->capture_default_str();
  CLI::Option* const scenario = sub.add_option(
      "--scenario", typed.scenario,
      "In place of a workload: a scenario file of weir simulate, whose components sleep for the same records' times");
  scenario->excludes(workload);
  sub.add_option(
      "--policies", typed.policies,
      "Some of equal, shared, fixed, best-fixed (in hindsight: the best of all fixed divisions), adaptive, "
      "best-fixed-by-model (what adaptive would choose, once, for good), free-for-all (one shared oneTBB arena, work "
      "stealing; real workloads); default: all that the workload and the machine allow, but for best-fixed-by-model");
  sub.add_option("--fixed", typed.fixed, "Cores by component, and lanes: first=2x2,second=1; may be given again")
      ->allow_extra_args(false);
  sub.add_option(
         "--objective", typed.objective,
         fmt::format("Of adaptive and best-fixed-by-model: {} (records a second). It also says how records come: "
                     "as fast as they are taken; one when the last is out; at random at that rate",
                     fmt::join(objective_names(), ", ")))
      ->capture_default_str();
  sub.add_option("--repeat", typed.repeat, "Rounds: each policy runs once in each, in turn")
      ->transform(whole_range(1, most_rounds))
      ->capture_default_str();
  sub.add_option("--records", typed.records, "Records a run, in place of the workload's own number")
      ->transform(whole_range(1, most_records));
  sub.add_option("--scale", typed.scale, "Factor of emulated times, or of the sizes of matrices")
      ->check(number_range(1e-4, 100))
      ->excludes(scenario)
      ->capture_default_str();
  sub.add_option("--machine", typed.machine, "Of emulated workloads: a topology, as \"package:4 core:12 pu:1\"")
      ->excludes(scenario);
  sub.add_option("--estimator", typed.estimator, "The model of each component, by name")->capture_default_str();
  sub.add_option("--seed", typed.seed, "Of the matrices, or of a scenario's records")
      ->transform(whole_range())
      ->capture_default_str();
  sub.add_option("--report", typed.files.report, report_help + ": the first run of each policy");
  sub.add_option("--trace", typed.files.trace, trace_help);
  sub.add_option("--out", typed.files.out, "The JSON, into a file as well as the table");
  sub.add_flag("--json", typed.json, "For programs");
}

timed_run time_one(const compare_plan& plan, const planned_policy& chosen, const run_watchers& watchers) {
  if (!chosen.rule) {
    const auto run_all = [&](const auto& sent, const auto& result) {
      plan.work.free_for_all(plan.machine.size(), sent, result);
    };
    return time_without_weir(plan.work, run_all, watchers.on_result);
  }
  options how = plan.run_options();
  how.policy = *chosen.rule;
  return time_in_weir(plan.work, std::move(how), plan.goal, plan.seed, watchers, rank_runs(false));
}

int run_compare(const compare_options& typed) {
  const interruption by_user;
  compare_plan plan = plan_of(typed);
  std::vector<timed_run> runs =
      run_in_turn(plan, plan.work.records, !plan.json,
                  [&](const planned_policy& chosen, const std::string&, const run_watchers& watchers) {
                    return time_one(plan, chosen, watchers);
                  });
  if (interruption::asked()) keep_complete_rounds(plan, runs, plan.work.records);
  const std::vector<policy_row> rows = compared_rows(plan, runs);
  print((plan.json ? compare_json : compare_text)(plan, rows, runs));
  const std::string caption = fmt::format("{}, objective {}, {}", counted(plan.work.records, "record"), plan.objective,
                                          counted(static_cast<std::uint64_t>(plan.rounds), "round"));
  write_all({[&] {
               if (plan.out) plan.out->write(compare_json(plan, rows, runs));
             },
             [&] { write_page(plan, fmt::format("{}: {}", plan.entry.name, plan.entry.about), caption, rows, runs); },
             [&] { write_trace(plan); }});
  return exit_code_of(plan, runs);
}

}  // namespace

std::function<int()> add_compare(CLI::App& app) {
  const auto typed = std::make_shared<compare_options>();
  CLI::App* const sub = app.add_subcommand(
      "compare", "One workload under several policies in interleaved runs: throughput, latency, moves, errors");
  describe(*sub, *typed);
  return [typed] { return run_compare(*typed); };
}

}  // namespace weir::program
