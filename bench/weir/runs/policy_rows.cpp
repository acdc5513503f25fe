#include "bench/weir/runs/policy_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/policy_outcome.hpp"

namespace weir::program {
namespace {

// The value of a run by the objective: more is better.
double worth(const runs_plan& plan, const timed_run& run) {
  if (plan.goal.is_latency()) return 1 / run.mean_latency();
  if (plan.goal.is_fewest_cores())
    return 1 / (run.cores_used() * std::max(1.0, quantile(run.latencies, 0.99) / plan.goal.p99()));
  return run.throughput();
}

// In hindsight: the text of the division with the best median.
std::string best_text(const runs_plan& plan, const std::string& name, const std::vector<timed_run>& runs,
                      std::size_t& candidates) {
  std::set<std::string> texts;
  for (const timed_run& run : runs)
    if (run.name == name) texts.insert(run.text);
  candidates = texts.size();
  const auto median = [&](const std::string& text) {
    std::vector<double> all;
    for (const timed_run& run : runs)
      if (run.name == name && run.text == text) all.push_back(worth(plan, run));
    return quantile(all, 0.5);
  };
  return *std::max_element(texts.begin(), texts.end(),
                           [&](const std::string& a, const std::string& b) { return median(a) < median(b); });
}

policy_row row_of(const runs_plan& plan, const std::string& name, const std::vector<timed_run>& runs) {
  policy_row row;
  row.name = name;
  row.text = best_text(plan, name, runs, row.candidates);
  std::vector<double> latencies, rates;
  double moves = 0;
  const std::vector<const timed_run*> mine = runs_of(row, runs);
  for (const timed_run* run : mine) {
    latencies.insert(latencies.end(), run->latencies.begin(), run->latencies.end());
    rates.push_back(run->throughput());
    moves += run->moves();
    row.cores_used += run->cores_used() / static_cast<double>(mine.size());
  }
  for (const timed_run& run : runs)
    if (run.name == name) row.checked += run.checked, row.wrong += run.wrong;
  row.throughput = quantile(rates, 0.5);
  row.least = quantile(rates, 0);
  row.most = quantile(rates, 1);
  row.latency_mean = std::accumulate(latencies.begin(), latencies.end(), 0.0) / static_cast<double>(latencies.size());
  row.latency_p50 = quantile(latencies, 0.5);
  row.latency_p99 = quantile(latencies, 0.99);
  if (!mine.front()->report.decisions.empty()) row.moves = moves / static_cast<double>(mine.size());
  return row;
}

}  // namespace

std::vector<const timed_run*> runs_of(const policy_row& row, const std::vector<timed_run>& runs) {
  std::vector<const timed_run*> mine;
  for (const timed_run& run : runs)
    if (run.name == row.name && run.text == row.text) mine.push_back(&run);
  return mine;
}

std::vector<double> paired(const runs_plan& plan, const policy_row& row, const policy_row& other,
                           const std::vector<timed_run>& runs) {
  std::vector<double> ratios;
  const std::vector<const timed_run*> mine = runs_of(row, runs), others = runs_of(other, runs);
  for (std::size_t i = 0; i < mine.size(); ++i) ratios.push_back(worth(plan, *mine[i]) / worth(plan, *others[i]));
  return ratios;
}

std::vector<policy_row> policy_rows(const runs_plan& plan, const std::vector<timed_run>& runs) {
  std::vector<policy_row> rows;
  for (const std::string& name : plan.rows) rows.push_back(row_of(plan, name, runs));
  const auto base =
      std::find_if(rows.begin(), rows.end(), [&](const policy_row& r) { return r.name == plan.baseline; });
  for (policy_row& row : rows) {
    row.ratios = paired(plan, row, *base, runs);
    row.to_baseline = bootstrap_median(row.ratios);
  }
  return rows;
}

std::string outcome_of(const runs_plan& plan, const std::vector<policy_row>& rows, const std::vector<timed_run>& runs) {
  std::vector<policy_outcome> all;
  std::vector<std::string> names;
  for (const policy_row& row : rows) {
    policy_outcome o{row.name, row.name == plan.baseline ? std::vector<double>() : row.ratios, {}, false};
    for (const planned_policy& p : plan.runs) o.adapts = o.adapts || (p.name == row.name && p.rule && p.rule->adapts());
    for (const timed_run* run : runs_of(row, runs)) {
      o.decisions.push_back(run->report.decisions);
      if (!run->report.names.empty()) names = run->report.names;
    }
    all.push_back(std::move(o));
  }
  const std::string base = plan.goal.is_latency()        ? plan.baseline + " by mean latency"
                           : plan.goal.is_fewest_cores() ? "fewer cores than " + plan.baseline
                                                         : plan.baseline;
  return outcome_text(all, base, names, plan.machine.size(), foreign_loads_of(runs));
}

void write_page(const runs_plan& plan, const std::string& title, const std::string& of_table,
                const std::vector<policy_row>& rows, const std::vector<timed_run>& runs) {
  if (!plan.report) return;
  std::vector<named_report> shown;
  page_table table{of_table,
                   {"policy", "ran", "records/s", "x " + plan.baseline,
                    plan.goal == objective::throughput ? "in queue" : "latency", "p50", "p99", "moves"},
                   {}};
  for (const policy_row& row : rows) {
    const timed_run& first = *runs_of(row, runs).front();
    if (!first.report.names.empty()) shown.push_back({row.name, first.report.json()});
    table.rows.push_back({row.name, row.text, fmt::format("{:.4g}", row.throughput), ratio_text(row.to_baseline),
                          duration(row.latency_mean), duration(row.latency_p50), duration(row.latency_p99),
                          row.moves ? fmt::format("{:.2g}", *row.moves) : "-"});
  }
  plan.report->write(title, shown, of_table.empty() ? std::vector<page_table>() : std::vector{table});
}

json throughput_json(const policy_row& row) {
  return {{"median", row.throughput}, {"min", row.least}, {"max", row.most}};
}

json run_json(const timed_run& run) {
  return {
      {"round", run.round},
      {"records", run.latencies.size()},
      {"seconds", run.seconds},
      {"throughput_per_second", run.throughput()},
      {"latency_seconds",
       {{"mean", run.mean_latency()}, {"p50", quantile(run.latencies, 0.5)}, {"p99", quantile(run.latencies, 0.99)}}},
      {"foreign_load", number(run.report.foreign_load)}};
}

}  // namespace weir::program
