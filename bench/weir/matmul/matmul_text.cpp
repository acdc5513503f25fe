#include "bench/weir/matmul/matmul_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/support/host.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/table.hpp"
#include "bench/weir/common/policy_outcome.hpp"
#include "bench/weir/matmul/summary.hpp"

namespace weir::program {
namespace {

std::string sizes_of(const matmul_plan& plan, const std::string& predictor) {
  if (plan.sizes.size() <= 8) return fmt::format("{} = {}", predictor, fmt::join(plan.sizes, ", "));
  const auto [least, most] = std::minmax_element(plan.sizes.begin(), plan.sizes.end());
  return fmt::format("{} sizes, {} = {} .. {}", plan.sizes.size(), predictor, *least, *most);
}

std::string comparison(const matmul_plan& plan, const std::vector<policy_row>& rows) {
  std::vector<std::vector<std::string>> lines{{"policy", "records/s", "min .. max", "ratio", "full queue"}};
  for (const policy_row& r : rows)
    lines.push_back({r.name, fmt::format("{:.4g}", r.throughput), fmt::format("{:.4g} .. {:.4g}", r.least, r.most),
                     fmt::format("{:.2f}", r.to_baseline.median), duration(r.latency_p50)});
  if (rows.front().checked > 0) {
    lines.front().push_back("wrong products");
    for (std::size_t i = 0; i < rows.size(); ++i)
      lines[i + 1].push_back(fmt::format("{} of {}", rows[i].wrong, rows[i].checked));
  }
  std::string text = "\n" + table_text(lines);
  if (plan.rounds > 1)
    text += fmt::format("{} interleaved rounds: medians. ratio: records/s over those of {} in the same round.\n",
                        plan.rounds, plan.baseline);
  else
    text += fmt::format("ratio: records/s over those of {}.\n", plan.baseline);
  return text +
         "full queue: median time from send to result while the sender keeps the queue full, most of it waiting.\n";
}

std::string run_line(const timed_run& run) {
  return fmt::format(
      "{} in {}: {:.4g} records/s. From send to result, through a full queue: mean {}, p50 {}, p99 {}.\n",
      counted(run.latencies.size(), "record"), duration(run.seconds), run.throughput(), duration(run.mean_latency()),
      duration(quantile(run.latencies, 0.5)), duration(quantile(run.latencies, 0.99)));
}

std::string learnt_table(const std::string& predictor, const learnt_summary& learnt) {
  std::vector<std::vector<std::string>> lines{
      {"component", predictor, "cores", "observations", "observed", "predicted", "error"}};
  std::string last;
  for (const cost_row& r : learnt.rows) {
    const double error = 100 * (r.predicted - r.median) / r.median;
    lines.push_back({r.component == last ? "" : r.component, fmt::format("{:g}", r.x), fmt::format("{}", r.cores),
                     fmt::format("{}", r.observations), duration(r.median), duration(r.predicted),
                     std::isfinite(error) ? fmt::format("{:+.1f} %", error) : "-"});
    last = r.component;
  }
  return table_text(lines);
}

// "4.7e-10 N^3 + 1e-07 N": highest power first, zero terms left out.
std::string polynomial(const std::vector<double>& coefficients, const std::string& predictor) {
  std::string text;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    if (coefficients[i] == 0) continue;
    if (!text.empty()) text += " + ";
    text += fmt::format("{:.3g}", coefficients[i]);
    if (i > 0) text += " " + predictor;
    if (i > 1) text += fmt::format("^{}", i);
  }
  return text.empty() ? "0" : text;
}

// The cost of a further core, if the model found one.
std::string price_of_cores(const description& model) {
  std::string text;
  if (model.fork_join > 0) text += fmt::format(" + {} for each further core", duration(model.fork_join));
  if (model.contention > 0) text += fmt::format(" + {:.2g} T for each further core", model.contention);
  return text;
}

std::string models(const matmul_plan& plan, const learnt_summary& learnt) {
  std::size_t wide = 0;
  for (const component_summary& c : learnt.components) wide = std::max(wide, c.name.size());
  std::string text =
      fmt::format("\nmodels, {}: seconds on p cores = T({}) (alpha/p + 1 - alpha)\n", plan.estimator, plan.predictor());
  const auto part = [](double percent) { return std::isfinite(percent) ? fmt::format("{:.1f} %", percent) : "-"; };
  for (const component_summary& c : learnt.components)
    text += fmt::format("  {:<{}}  T = {};  alpha {:.3f}{}{};  error: median {}, 95 % within {}\n", c.name, wide,
                        polynomial(c.model.coefficients, plan.predictor()), c.model.alpha, price_of_cores(c.model),
                        c.model.alpha_known ? "" : " (assumed: too little seen on different numbers of cores)",
                        part(quantile(c.errors, 0.5)), part(quantile(c.errors, 0.95)));
  return text;
}

std::string moves(const run_report& report) {
  std::string text;
  for (const decision& d : report.decisions) {
    const bool first = d.from.components.empty();
    text += fmt::format("  {:>8}  {}{}\n            {}\n", duration(d.time), first ? "" : "-> ",
                        to_string(d.to, report.names), d.why);
    if (first) continue;
    const std::string predicted = predicted_words(d), realised = realised_words(d);
    text += fmt::format("            predicted {}; realised {}{}\n", predicted.empty() ? "no gain" : predicted,
                        realised.empty() ? "not measured" : realised, d.reverted ? "; taken back" : "");
  }
  return text;
}

std::string emulated(const matmul_plan& plan, const timed_run& run) {
  const emulated_summary e = emulated_summary_of(plan, run);
  return fmt::format(
      "\nslowest component in truth, a record: best possible {}, equal shares {} ({:.2f} times the best)\n"
      "after {} records of each component {} ({:.2f} times the best): {}\n",
      duration(e.best), duration(e.equal), e.equal / e.best, e.records, duration(e.reached), e.ratio(), e.allotment);
}

std::string checks(const workload& work, const std::vector<policy_row>& rows) {
  std::uint64_t products = 0, wrong = 0;
  for (const policy_row& r : rows) products += r.checked, wrong += r.wrong;
  if (products == 0) return "";
  return fmt::format("\nchecked: {}, {} wrong: {}.\n", counted(products, "product"), wrong, work.checked_how);
}

std::string notes(const std::vector<timed_run>& runs) {
  std::string text;
  for (const std::string& n : notes_of(runs))
    text += fmt::format("{}  {}\n", text.empty() ? "\nnot allowed by this machine:\n" : "", n);
  return text;
}

// The meaning of the words that the tables use.
std::string words(bool is_grid) {
  std::string text =
      "\nobserved: the median of the observations; error: predicted against observed; cores: those of one invocation\n"
      "alpha: the part of an invocation that more cores divide\n";
  if (!is_grid)
    text +=
        "lane: cores on which one invocation at a time runs; width: the lanes of a component, which is how many\n"
        "  invocations may run at the same time; shared: the cores of all components that have none of their own\n";
  return text;
}

std::string policies_of(const matmul_plan& plan) {
  const expected_seconds about = expected_of(plan);
  const std::string seconds = fmt::format("about {} to {}", duration(about.least), duration(about.most));
  if (plan.total_runs() == 1) return fmt::format("{}, one run, {}", plan.baseline, seconds);
  return fmt::format("{}; {}{}, {}", fmt::join(plan.rows, ", "),
                     counted(static_cast<std::uint64_t>(plan.rounds), "round"),
                     plan.rows.size() > 1 ? " of a run each, in turn" : "", seconds);
}

}  // namespace

std::string matmul_heading(const matmul_plan& plan, const workload& work) {
  std::string text = fmt::format("{}\n", fmt::join(work.components, " >> "));
  text +=
      fmt::format("  kernel   {}, {}, {} build\n", plan.kernel,
                  plan.max_width == std::numeric_limits<int>::max()
                      ? std::string("width not limited")
                      : fmt::format("at most {} at once of each component (--width {})",
                                    counted(static_cast<std::uint64_t>(plan.max_width), "invocation"), plan.max_width),
                  build_type());
  text += fmt::format("  machine  {}\n", plan.machine_words());
  text += fmt::format("  work     {}; {} of each, {}, seed {}: {} a run\n", sizes_of(plan, plan.predictor()),
                      plan.repeat, plan.order, plan.seed, counted(plan.inputs.size(), "record"));
  text += fmt::format("  policies {}\n", policies_of(plan));
  if (plan.objective != "throughput") text += fmt::format("  aim      {}\n", plan.objective);
  if (plan.time == measured_time::cpu)
    text += "  time     observed, predicted and learnt are CPU seconds (--time cpu)\n";
  if (plan.time == measured_time::wall)
    text += "  time     observed, predicted and learnt are wall-clock seconds, whatever else runs (--time wall)\n";
  return text;
}

std::string matmul_text(const matmul_plan& plan, const workload& work, const std::vector<policy_row>& rows,
                        const std::vector<timed_run>& runs) {
  const std::string load = foreign_load_text(foreign_loads_of(runs));  // says what the table is worth
  std::string text = load.empty() ? "" : "\n" + load;
  if (runs.size() > 1) text += comparison(plan, rows);

  std::vector<const timed_run*> closer{&shown_run(runs)};
  if (plan.grid) {
    closer.clear();
    for (const timed_run& r : runs) closer.push_back(&r);
  }
  const timed_run& shown = *closer.back();
  if (!plan.grid) {
    text += fmt::format("\n{}: {}", label_of(shown.text, shown.round, plan.rounds), run_line(shown));
    if (plan.emulated) text += emulated(plan, shown);
  }
  const learnt_summary learnt = learnt_from(closer, plan.time);
  text += "\n" + learnt_table(plan.predictor(), learnt) + models(plan, learnt);
  if (!plan.grid) text += "\ncores: at the start and moves\n" + moves(shown.report);
  text += words(plan.grid) + checks(work, rows) + notes(runs);
  if (plan.interrupted) text += "\ninterrupted: this is what was done until then\n";
  const std::string outcome = plan.grid ? "" : outcome_of(plan, rows, runs);
  return outcome.empty() ? text : text + "\n" + outcome;
}

}  // namespace weir::program
