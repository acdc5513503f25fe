#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/matmul/emulated_network.hpp"
#include "bench/weir/matmul/matmul_network.hpp"
#include "bench/weir/matmul/matmul_options.hpp"
#include "bench/weir/matmul/matmul_report.hpp"
#include "bench/weir/matmul/measured_run.hpp"
#include "bench/weir/matmul/observations_csv.hpp"
#include "bench/weir/matmul/summary.hpp"
#include "runtime/options/saved_models.hpp"

namespace weir::command {
namespace {

void describe(CLI::App& sub, matmul_options& typed) {
  const auto policy_help =
      "adaptive (default), best-fixed-by-model (what adaptive would choose, once, for good), equal, or "
      "fixed:generate=1,multiply=1; several are run interleaved and compared";
  sub.add_option("--kernel", typed.kernel, "naive, blocked16, blocked32, blocked64, or emulated: boxes that only sleep")
      ->capture_default_str();
  sub.add_option("--sizes", typed.sizes, "N as LO:HI:STEP (default 200:800:200)");
  sub.add_option("--sizes-list", typed.sizes_list, "N as a list: 400,600,800");
  sub.add_option("--order", typed.order, "shuffled or rising")->capture_default_str();
  sub.add_option("--repeat", typed.repeat, "Records of each size (default 10; emulated 25)");
  sub.add_option("--policy", typed.policies, policy_help)->allow_extra_args(false);
  sub.add_option(
         "--objective", typed.objective,
         fmt::format("Of adaptive and best-fixed-by-model: {} (records a second)", fmt::join(objective_names(), ", ")))
      ->capture_default_str();
  sub.add_option("--rounds", typed.rounds, "Runs of each policy (default 1)");
  sub.add_option("--width", typed.width,
                 "Invocations of each component at once, at most (default: not limited; emulated 1)");
  sub.add_option("--cores", typed.cores, "The grid: each size on 1,2,.. cores for multiply; instead of --policy");
  sub.add_option("--machine", typed.machine,
                 "local, or for emulated a topology (default \"package:4 core:12 pu:1\": 48 cores)");
  sub.add_option("--estimator", typed.estimator, "The model of each component, by name")->capture_default_str();
  sub.add_option("--time", typed.time,
                 "What models learn: wall, cpu, or automatic: wall-clock time less delays by other processes")
      ->capture_default_str();
  sub.add_option("--seed", typed.seed, "Of the matrices and the order")->capture_default_str();
  sub.add_option("--out", typed.out, "Every observation as CSV");
  sub.add_option("--save-model", typed.save_model, "What was learnt, to be started from (JSON)");
  sub.add_option("--report", typed.report, report_help);
  sub.add_option("--trace", typed.trace, trace_help);
  sub.add_option(
         "--live", typed.live,
         "A page of the runs while they go on, at 127.0.0.1; the port, 9464 if none is given, 0: any that is free")
      ->expected(0, 1)
      ->default_str("9464");
  sub.add_flag("--json", typed.json, "For programs");
  sub.add_flag("--mpi", typed.mpi, mpi_help);
}

std::string name_of(const std::string& policy, int round, int rounds) {
  return rounds > 1 ? fmt::format("{}, round {} of {}", policy, round, rounds) : policy;
}

// Interleaves the policies: each round runs every policy once, so a temporary disturbance affects all of them.
std::vector<measured_run> measure_all(matmul_plan& plan, const workload& work, const rank_runs& ranks) {
  using clock = std::chrono::steady_clock;
  const auto began = clock::now();
  progress_bar progress(plan.inputs.size() * static_cast<std::size_t>(plan.runs()), !plan.json && ranks.is_first());
  std::map<std::string, saved_model> learnt;  // carried from run to run in a grid
  std::vector<measured_run> runs;
  for (int round = 1; round <= plan.rounds; ++round)
    for (const named_policy& chosen : plan.policies) {
      if (interruption::asked()) return runs;
      const std::string name = name_of(chosen.text, round, plan.rounds);
      progress.label(name);
      run_watchers watchers;
      if (plan.trace) watchers.trace = plan.trace->of_run(chosen.text);
      if (plan.live) watchers.on_start = [&](const execution& run) { plan.live->watch(run, name); };
      watchers.on_result = [&] { progress.advance(); };
      const double start = std::chrono::duration<double>(clock::now() - began).count();
      runs.push_back(measure(work, plan, chosen, learnt, watchers, ranks));
      runs.back().round = round;
      runs.back().began = start;
      if (plan.grid) learnt = runs.back().models;
    }
  return runs;
}

// After Ctrl-C: the run that was cut short is shown only if it is the only one; otherwise the complete runs are.
void keep_what_ran(matmul_plan& plan, std::vector<measured_run>& runs) {
  const bool cut_short = !runs.empty() && runs.back().latencies.size() < plan.inputs.size();
  if (static_cast<int>(runs.size()) == plan.runs() && !cut_short) return;
  plan.interrupted = true;
  if (runs.size() > 1 && cut_short) runs.pop_back();
  if (runs.empty() || runs.back().latencies.empty())
    throw interrupted_early("interrupted before the first result: nothing to report");
  std::erase_if(plan.policies, [&](const named_policy& p) {
    return std::none_of(runs.begin(), runs.end(), [&](const measured_run& r) { return r.policy == p.text; });
  });
  plan.rounds = runs.back().round;
}

// The page shows the first run of each policy, and compares all.
void write_page(const matmul_plan& plan, const std::vector<measured_run>& runs) {
  std::vector<named_report> shown;
  for (const measured_run& r : runs)
    if (r.round == 1) shown.push_back({name_of(r.policy, r.round, plan.rounds), r.report.json()});
  std::vector<page_table> tables;
  if (runs.size() > 1) {
    tables.push_back({"Policies compared", {"policy", "records/s", "min", "max", "ratio", "full queue"}, {}});
    for (const policy_row& r : compared(plan, runs))
      tables.back().rows.push_back({r.policy, fmt::format("{:.4g}", r.throughput), fmt::format("{:.4g}", r.least),
                                    fmt::format("{:.4g}", r.most), fmt::format("{:.2f}", r.ratio),
                                    duration(r.latency_p50)});
  }
  plan.report->write(fmt::format("weir matmul, kernel {}", plan.kernel), shown, tables);
}

// Of the first rank alone are the files that are written, and what is shown.
matmul_options of_rank(matmul_options typed, const rank_runs& ranks) {
  if (typed.mpi && typed.kernel == "emulated") throw bad_input("--mpi: emulated boxes run in one process");
  if (ranks.is_first()) return typed;
  typed.out = typed.save_model = typed.report = typed.trace = std::nullopt;
  typed.live = std::nullopt;
  return typed;
}

int run_matmul(const matmul_options& by_user) {
  const interruption by_signal;
  const rank_runs ranks(by_user.mpi);
  const matmul_options typed = of_rank(by_user, ranks);
  matmul_plan plan = plan_of(typed);
  const workload work = plan.emulated
                            ? emulated_workload(plan.max_width)
                            : matmul_workload(plan.kernel, plan.inputs, plan.seed, plan.max_width, ranks.count());
  if (!plan.json && ranks.is_first()) print_now(matmul_heading(plan, work));
  std::vector<measured_run> runs = measure_all(plan, work, ranks);
  if (!ranks.is_first()) return 0;
  if (interruption::asked()) keep_what_ran(plan, runs);
  print(plan.json ? matmul_json(plan, runs) : matmul_text(plan, work, runs));
  if (plan.out) plan.out->write(observations_csv(runs));
  if (plan.report) write_page(plan, runs);
  if (plan.trace) {
    const std::string left_out = plan.trace->write();
    if (!plan.json) print(left_out);
  }
  if (plan.save_model) plan.save_model->write(write_models((plan.grid ? runs.back() : shown_run(runs)).models));
  if (plan.live) plan.live->stay();
  const bool wrong = std::any_of(runs.begin(), runs.end(), [](const measured_run& r) { return r.wrong > 0; });
  return wrong ? 1 : plan.interrupted ? interruption::exit_code() : 0;
}

}  // namespace

std::function<int()> add_matmul(CLI::App& app) {
  const auto typed = std::make_shared<matmul_options>();
  CLI::App* const sub = app.add_subcommand(
      "matmul", "The benchmark network generate >> multiply: run it, see what was learnt and how cores moved");
  describe(*sub, *typed);
  return [typed] { return run_matmul(*typed); };
}

}  // namespace weir::command
