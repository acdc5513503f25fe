#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "bench/support/interruption.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/compare/compare_options.hpp"
#include "bench/weir/compare/compare_report.hpp"
#include "bench/weir/compare/compare_run.hpp"
#include "bench/weir/compare/compare_summary.hpp"

namespace weir::command {
namespace {

void describe(CLI::App& sub, compare_options& typed) {
  std::string workloads = "One of\n";
  for (const workload_entry& w : compare_workloads())
    workloads += fmt::format("  {:<9} {}{}\n", w.name, w.about, w.is_emulated() ? " (" + w.machine + ")" : "");
  sub.add_option("--workload", typed.workload, workloads)->capture_default_str();
  sub.add_option(
      "--policies", typed.policies,
      "Some of equal, fixed, best-fixed (in hindsight: the best of all fixed divisions), adaptive, "
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
  sub.add_option("--repeat", typed.repeat, "Rounds: each policy runs once in each, in turn (default 5)");
  sub.add_option("--records", typed.records, "Records a run, in place of the workload's own number");
  sub.add_option("--scale", typed.scale, "Factor of emulated times, or of the sizes of matrices")
      ->capture_default_str();
  sub.add_option("--machine", typed.machine, "Of emulated workloads: a topology, as \"package:4 core:12 pu:1\"");
  sub.add_option("--estimator", typed.estimator, "The model of each component, by name")->capture_default_str();
  sub.add_option("--seed", typed.seed, "Of the matrices")->capture_default_str();
  sub.add_option("--report", typed.report, report_help + ": the first run of each policy");
  sub.add_option("--trace", typed.trace, trace_help);
  sub.add_option("--out", typed.out, "The JSON, into a file beside the table");
  sub.add_flag("--json", typed.json, "For programs");
}

// Interleaves the policies: each round runs every policy once, so a temporary disturbance affects all of them.
std::vector<compared_run> run_all(compare_plan& plan) {
  progress_bar progress(plan.work.records * plan.runs.size() * static_cast<std::size_t>(plan.rounds), !plan.json);
  std::vector<compared_run> runs;
  for (int round = 1; round <= plan.rounds; ++round)
    for (const compared_policy& chosen : plan.runs) {
      if (interruption::asked()) return runs;
      progress.label(fmt::format("round {} of {}, {}", round, plan.rounds, chosen.text));
      std::optional<tracer> trace;
      if (plan.trace && chosen.rule) trace = plan.trace->of_run(chosen.name);
      runs.push_back(run_compared(plan, chosen, trace, [&] { progress.advance(); }));
      runs.back().round = round;
    }
  return runs;
}

// After Ctrl-C: keeps the complete rounds. If there is none, it keeps the complete runs of the first round, or else the
// results so far of the first run.
void keep_what_ran(compare_plan& plan, std::vector<compared_run>& runs) {
  const bool cut_short = !runs.empty() && runs.back().latencies.size() < plan.work.records;
  if (runs.size() == plan.runs.size() * static_cast<std::size_t>(plan.rounds) && !cut_short) return;
  plan.interrupted = true;
  if (runs.size() > 1 && cut_short) runs.pop_back();
  if (runs.empty() || runs.back().latencies.empty())
    throw interrupted_early("interrupted before the first result: nothing to report");
  const std::size_t whole = runs.size() / plan.runs.size();
  if (whole > 0) runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(whole * plan.runs.size()), runs.end());
  plan.rounds = static_cast<int>(std::max<std::size_t>(whole, 1));
  const auto did_not_run = [&](const std::string& name) {
    return std::none_of(runs.begin(), runs.end(), [&](const compared_run& r) { return r.name == name; });
  };
  std::erase_if(plan.rows, did_not_run);
  if (did_not_run(plan.baseline)) plan.baseline = plan.rows.front();
}

std::string ratio_text(const median_interval& of) {
  return std::isfinite(of.low) ? fmt::format("{:.2f} [{:.2f} .. {:.2f}]", of.median, of.low, of.high)
                               : fmt::format("{:.2f}", of.median);
}

// The page shows the first run of each policy, and compares all rounds. A free-for-all has no run to show.
void write_page(const compare_plan& plan, const std::vector<compared_row>& rows,
                const std::vector<compared_run>& runs) {
  std::vector<named_report> shown;
  page_table table{fmt::format("{}, objective {}, {}", counted(plan.work.records, "record"), plan.objective,
                               counted(static_cast<std::uint64_t>(plan.rounds), "round")),
                   {"policy", "ran", "records/s", "x " + plan.baseline,
                    plan.goal == objective::throughput ? "in queue" : "latency", "p50", "p99", "moves"},
                   {}};
  for (const compared_row& row : rows) {
    const compared_run& first = *runs_of(row, runs).front();
    if (!first.report.names.empty()) shown.push_back({row.name, first.report.json()});
    table.rows.push_back({row.name, row.text, fmt::format("{:.4g}", row.throughput), ratio_text(row.to_baseline),
                          duration(row.latency_mean), duration(row.latency_p50), duration(row.latency_p99),
                          row.moves ? fmt::format("{:.2g}", *row.moves) : "-"});
  }
  plan.report->write(fmt::format("{}: {}", plan.entry.name, plan.entry.about), shown, {table});
}

int run_compare(const compare_options& typed) {
  const interruption by_user;
  compare_plan plan = plan_of(typed);
  std::vector<compared_run> runs = run_all(plan);
  if (interruption::asked()) keep_what_ran(plan, runs);
  const std::vector<compared_row> rows = compared_rows(plan, runs);
  print((plan.json ? compare_json : compare_text)(plan, rows, runs));
  if (plan.out) plan.out->write(compare_json(plan, rows, runs));
  if (plan.report) write_page(plan, rows, runs);
  if (plan.trace) {
    const std::string left_out = plan.trace->write();
    if (!plan.json) print(left_out);
  }
  const bool wrong = std::any_of(runs.begin(), runs.end(), [](const compared_run& r) { return r.wrong > 0; });
  return wrong ? 1 : plan.interrupted ? interruption::exit_code() : 0;
}

}  // namespace

std::function<int()> add_compare(CLI::App& app) {
  const auto typed = std::make_shared<compare_options>();
  CLI::App* const sub = app.add_subcommand(
      "compare", "One workload under several policies in interleaved runs: throughput, latency, moves, errors");
  describe(*sub, *typed);
  return [typed] { return run_compare(*typed); };
}

}  // namespace weir::command
