#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <weir/options/saved_models.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/matmul/emulated_network.hpp"
#include "bench/weir/matmul/matmul_network.hpp"
#include "bench/weir/matmul/matmul_options.hpp"
#include "bench/weir/matmul/matmul_report.hpp"
#include "bench/weir/matmul/observations_csv.hpp"
#include "bench/weir/matmul/summary.hpp"
#include "bench/weir/runs/policy_rows.hpp"

namespace weir::program {
namespace {

void describe(CLI::App& sub, matmul_options& typed) {
  constexpr int most_int = std::numeric_limits<int>::max();
  const auto policy_help =
      "adaptive (default), best-fixed-by-model (what adaptive would choose, once, for good), equal, shared, or "
      "fixed:generate=1,multiply=1; several are run interleaved and compared";
  sub.add_option("--kernel", typed.kernel, "naive, blocked16, blocked32, blocked64, or emulated: boxes that only sleep")
      ->capture_default_str();
  sub.add_option("--sizes", typed.sizes, "N as LO:HI:STEP (default 200:800:200)");
  sub.add_option("--sizes-list", typed.sizes_list, "N as a list: 400,600,800");
  sub.add_option("--order", typed.order, "shuffled or rising")->capture_default_str();
  sub.add_option("--repeat", typed.repeat, "Records of each size (default 10; emulated 25)")
      ->transform(whole_range(1, most_int));
  sub.add_option("--policy", typed.policies, policy_help)->allow_extra_args(false);
  sub.add_option(
         "--objective", typed.objective,
         fmt::format("Of adaptive and best-fixed-by-model: {} (records a second)", fmt::join(objective_names(), ", ")))
      ->capture_default_str();
  sub.add_option("--rounds", typed.rounds, "Runs of each policy")
      ->transform(whole_range(1, most_int))
      ->capture_default_str();
  sub.add_option("--width", typed.width,
                 "Invocations of each component at once, at most (default: not limited; emulated 1)")
      ->transform(whole_range(1, most_int));
  sub.add_option("--cores", typed.cores, "The grid: each size on 1,2,.. cores for multiply; instead of --policy");
  sub.add_option("--machine", typed.machine,
                 "local, or for emulated a topology (default \"package:4 core:12 pu:1\": 48 cores)");
  sub.add_option("--estimator", typed.estimator, "The model of each component, by name")->capture_default_str();
  sub.add_option("--time", typed.time,
                 "What models learn: wall, cpu, or automatic: wall-clock time less delays by other processes")
      ->capture_default_str();
  sub.add_option("--seed", typed.seed, "Of the matrices and the order")
      ->transform(whole_range())
      ->capture_default_str();
  sub.add_option("--out", typed.files.out, "Every observation as CSV");
  sub.add_option("--prior-models", typed.prior_models,
                 "What was learnt before, to start from: a file of --save-model, or a folder of them, from which each "
                 "component's first observations choose");
  sub.add_option("--save-model", typed.save_model, "What was learnt, to be started from (JSON)");
  sub.add_option("--report", typed.files.report, report_help);
  sub.add_option("--trace", typed.files.trace, trace_help);
  sub.add_option("--live", typed.live, live_help)
      ->expected(0, 1)
      ->default_str(usual_live_port)
      ->transform(whole_range(0, most_port));
  sub.add_flag("--json", typed.json, "For programs");
  sub.add_flag("--mpi", typed.mpi, mpi_help);
}

timed_run time_one(const matmul_plan& plan, const workload& work, const planned_policy& chosen,
                   const std::map<std::string, saved_model>& prior, const run_watchers& watchers,
                   const rank_runs& ranks) {
  options how = plan.run_options();
  how.policy = *chosen.rule;
  how.prior_models = prior;
  how.prior_runs = plan.prior_runs;
  how.learn_from = plan.time;
  return time_in_weir(work, std::move(how), plan.goal, plan.seed, watchers, ranks);
}

std::vector<timed_run> time_all(matmul_plan& plan, const workload& work, const rank_runs& ranks) {
  std::map<std::string, saved_model> learnt = plan.prior_models;  // carried from run to run in a grid
  return run_in_turn(plan, work.records, !plan.json && ranks.is_first(),
                     [&](const planned_policy& chosen, const std::string& label, run_watchers watchers) {
                       if (plan.live) watchers.on_start = [&](const execution& run) { plan.live->watch(run, label); };
                       timed_run run = time_one(plan, work, chosen, learnt, watchers, ranks);
                       if (plan.grid) learnt = run.models;
                       return run;
                     });
}

// Only the first rank writes files and shows results.
matmul_options of_rank(matmul_options typed, const rank_runs& ranks) {
  if (typed.mpi && typed.kernel == "emulated") throw bad_input("--mpi: emulated boxes run in one process");
  if (ranks.is_first()) return typed;
  typed.files = {};
  typed.save_model = std::nullopt;
  typed.live = std::nullopt;
  return typed;
}

int run_matmul(const matmul_options& by_user) {
  const interruption by_signal;
  const rank_runs ranks(by_user.mpi);
  const matmul_options typed = of_rank(by_user, ranks);
  matmul_plan plan = plan_of(typed);
  const workload work = plan.emulated
                            ? emulated_workload(plan.inputs, plan.max_width)
                            : matmul_workload(plan.kernel, plan.inputs, plan.seed, plan.max_width, ranks.count());
  if (!plan.json && ranks.is_first()) print_now(matmul_heading(plan, work));
  std::vector<timed_run> runs = time_all(plan, work, ranks);
  if (!ranks.is_first()) return 0;
  if (interruption::asked()) keep_complete_rounds(plan, runs, work.records);
  const std::vector<policy_row> rows = policy_rows(plan, runs);
  print(plan.json ? matmul_json(plan, rows, runs) : matmul_text(plan, work, rows, runs));
  const std::string title = fmt::format("weir matmul, kernel {}", plan.kernel);
  write_all({[&] {
               if (plan.out) plan.out->write(observations_csv(runs));
             },
             [&] { write_page(plan, title, runs.size() > 1 ? "Policies compared" : "", rows, runs); },
             [&] { write_trace(plan); },
             [&] {
               if (!plan.save_model) return;
               plan.save_model->write(write_models((plan.grid ? runs.back() : shown_run(runs)).models));
             }});
  if (plan.live) plan.live->stay();
  return exit_code_of(plan, runs);
}

}  // namespace

std::function<int()> add_matmul(CLI::App& app) {
  const auto typed = std::make_shared<matmul_options>();
  CLI::App* const sub = app.add_subcommand(
      "matmul", "The benchmark network generate >> multiply: run it, see what was learnt and how cores moved");
  describe(*sub, *typed);
  return [typed] { return run_matmul(*typed); };
}

}  // namespace weir::program
