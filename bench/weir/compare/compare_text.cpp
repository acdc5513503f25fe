#include "bench/weir/compare/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/support/host.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/policy_outcome.hpp"

namespace weir::program {
namespace {

std::string heading(const compare_plan& plan) {
  std::string text = fmt::format("{}: {}\n", plan.entry.name, plan.entry.about);
  text += fmt::format("  machine   {}, {} build\n", plan.machine_words(), build_type());
  text += fmt::format("  work      {} a run; {}\n", counted(plan.work.records, "record"), plan.work.work);
  text +=
      fmt::format("  measured  {}, policies in turn; objective {}, estimator {}, seed {}\n\n",
                  counted(static_cast<std::uint64_t>(plan.rounds), "round"), plan.objective, plan.estimator, plan.seed);
  return text;
}

std::string table(const compare_plan& plan, const std::vector<policy_row>& rows) {
  std::size_t wide = 12;
  for (const policy_row& r : rows) wide = std::max(wide, r.name.size());
  const bool fills = plan.goal == objective::throughput && plan.work.due.empty();
  const char* const through = fills ? "in queue" : "latency";
  constexpr auto line = "{:<8}  {:<{}}  {:>9}  {:>16}  {:>20}  {:>20}  {:>8}  {:>8}  {:>8}  {:>5}  {:>14}{}\n";
  std::string text =
      fmt::format(line, "workload", "policy", wide, "records/s", "min .. max", "x " + plan.baseline, "x best-fixed",
                  through, "p50", "p99", "moves", "error p50/p95", plan.goal.is_fewest_cores() ? "  cores" : "");
  for (const policy_row& r : rows)
    text += fmt::format(
        line, plan.entry.name, r.name, wide, fmt::format("{:.4g}", r.throughput),
        fmt::format("{:.4g} .. {:.4g}", r.least, r.most), ratio_text(r.to_baseline),
        r.to_best_fixed ? ratio_text(*r.to_best_fixed) : "-", duration(r.latency_mean), duration(r.latency_p50),
        duration(r.latency_p99), r.moves ? fmt::format("{:.2g}", *r.moves) : "-",
        r.moves && std::isfinite(r.error_p95) ? fmt::format("{:.3g} / {:.3g} %", r.error_median, r.error_p95) : "-",
        plan.goal.is_fewest_cores() ? fmt::format("  {:>5.3g}", r.cores_used) : "");
  text += fmt::format(
      "\nx: {} in the same round; {}.\n"
      "{}: from send to result, mean{}. error: of predictions, each made before its observation was learnt.\n",
      plan.goal.is_latency() ? "the other's mean latency over this one's"
      : plan.goal.is_fewest_cores()
          ? "how many times fewer cores than the other, with a longer p99 than demanded counted as that many times\n"
            "   more cores,"
          : "records/s over those of the other",
      plan.rounds == 1  ? "of one round, which tells no interval"
      : plan.rounds < 5 ? "medians, 95 % bootstrap intervals (of so few rounds they say little)"
                        : "medians, 95 % bootstrap intervals",
      through, fills ? ", while the sender keeps the queue full: most of it is waiting" : "");
  return text;
}

std::string remarks(const compare_plan& plan, const std::vector<policy_row>& rows, const std::vector<timed_run>& runs) {
  std::string text;
  std::uint64_t checked = 0, wrong = 0;
  for (const policy_row& r : rows) {
    checked += r.checked;
    wrong += r.wrong;
    if (r.name == best_fixed_name)
      text += r.candidates > 1
                  ? fmt::format("best-fixed: {}, in hindsight the best median of {} fixed divisions, {}.\n", r.text,
                                r.candidates, plan.work.fixed_how)
                  : fmt::format("best-fixed: {}, in hindsight: {}.\n", r.text, plan.work.fixed_how);
    if (r.name == free_for_all_name)
      text += "free-for-all: the same functions in oneTBB's parallel_pipeline, all in one arena with work stealing.\n";
  }
  if (checked > 0)
    text += fmt::format("checked: {}, {} wrong: {}.\n", counted(checked, "result"), wrong, plan.work.checked_how);
  if (plan.interrupted) text += "interrupted: this is what was done until then.\n";
  for (const std::string& n : notes_of(runs)) text += fmt::format("not allowed by this machine: {}\n", n);
  return text;
}

}  // namespace

std::string compare_text(const compare_plan& plan, const std::vector<policy_row>& rows,
                         const std::vector<timed_run>& runs) {
  const std::string load = foreign_load_text(foreign_loads_of(runs));
  return heading(plan) + (load.empty() ? "" : load + "\n") + table(plan, rows) + remarks(plan, rows, runs) + "\n" +
         outcome_of(plan, rows, runs);
}

}  // namespace weir::program
