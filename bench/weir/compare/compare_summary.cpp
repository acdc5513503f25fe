#include "bench/weir/compare/compare_summary.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "bench/support/quantile.hpp"
#include "bench/weir/common/policy_outcome.hpp"

namespace weir::command {
namespace {

std::vector<double> throughputs(const std::vector<const compared_run*>& runs) {
  std::vector<double> all;
  for (const compared_run* run : runs) all.push_back(run->throughput());
  return all;
}

double mean(const std::vector<double>& of) {
  return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
}

// The value of a run by the objective: more is better.
double worth(const compare_plan& plan, const compared_run& run) {
  if (plan.goal.is_latency()) return 1 / mean(run.latencies);
  if (plan.goal.is_fewest_cores())
    return 1 / (run.cores_used() * std::max(1.0, quantile(run.latencies, 0.99) / plan.goal.p99()));
  return run.throughput();
}

// In hindsight: the text of the division with the best median.
std::string best_text(const compare_plan& plan, const std::string& name, const std::vector<compared_run>& runs,
                      std::size_t& candidates) {
  std::set<std::string> texts;
  for (const compared_run& run : runs)
    if (run.name == name) texts.insert(run.text);
  candidates = texts.size();
  const auto median = [&](const std::string& text) {
    std::vector<double> all;
    for (const compared_run& run : runs)
      if (run.name == name && run.text == text) all.push_back(worth(plan, run));
    return quantile(all, 0.5);
  };
  return *std::max_element(texts.begin(), texts.end(),
                           [&](const std::string& a, const std::string& b) { return median(a) < median(b); });
}

std::vector<double> paired(const compare_plan& plan, const compared_row& row, const compared_row& other,
                           const std::vector<compared_run>& runs) {
  std::vector<double> ratios;
  const std::vector<const compared_run*> mine = runs_of(row, runs), others = runs_of(other, runs);
  for (std::size_t i = 0; i < mine.size(); ++i) ratios.push_back(worth(plan, *mine[i]) / worth(plan, *others[i]));
  return ratios;
}

compared_row row_of(const compare_plan& plan, const std::string& name, const std::vector<compared_run>& runs) {
  compared_row row;
  row.name = name;
  row.text = best_text(plan, name, runs, row.candidates);
  std::vector<double> latencies, errors;
  double moves = 0;
  const std::vector<const compared_run*> mine = runs_of(row, runs);
  for (const compared_run* run : mine) {
    latencies.insert(latencies.end(), run->latencies.begin(), run->latencies.end());
    const std::vector<double> some = foresight_errors(plan, *run);
    errors.insert(errors.end(), some.begin(), some.end());
    moves += run->moves();
  }
  for (const compared_run& run : runs)
    if (run.name == name) row.checked += run.checked, row.wrong += run.wrong;
  const std::vector<double> rates = throughputs(mine);
  row.throughput = quantile(rates, 0.5);
  row.least = quantile(rates, 0);
  row.most = quantile(rates, 1);
  row.latency_mean = mean(latencies);
  row.latency_p50 = quantile(latencies, 0.5);
  row.latency_p99 = quantile(latencies, 0.99);
  for (const compared_run* run : mine) row.cores_used += run->cores_used() / static_cast<double>(mine.size());
  if (!mine.front()->report.decisions.empty()) row.moves = moves / static_cast<double>(mine.size());
  row.error_median = quantile(errors, 0.5);
  row.error_p95 = quantile(errors, 0.95);
  return row;
}

}  // namespace

std::vector<const compared_run*> runs_of(const compared_row& row, const std::vector<compared_run>& runs) {
  std::vector<const compared_run*> mine;
  for (const compared_run& run : runs)
    if (run.name == row.name && run.text == row.text) mine.push_back(&run);
  return mine;
}

std::vector<compared_row> compared_rows(const compare_plan& plan, const std::vector<compared_run>& runs) {
  std::vector<compared_row> rows;
  for (const std::string& name : plan.rows) rows.push_back(row_of(plan, name, runs));
  const auto named = [&](const std::string& name) {
    return std::find_if(rows.begin(), rows.end(), [&](const compared_row& r) { return r.name == name; });
  };
  const auto best = named(best_fixed_name);
  for (compared_row& row : rows) {
    row.ratios = paired(plan, row, *named(plan.baseline), runs);
    row.to_baseline = bootstrap_median(row.ratios);
    if (best != rows.end()) row.to_best_fixed = bootstrap_median(paired(plan, row, *best, runs));
  }
  return rows;
}

std::string outcome_of(const compare_plan& plan, const std::vector<compared_row>& rows,
                       const std::vector<compared_run>& runs) {
  std::vector<policy_outcome> all;
  std::vector<std::string> names;
  for (const compared_row& row : rows) {
    policy_outcome o{row.name, row.name == plan.baseline ? std::vector<double>() : row.ratios, {}, false};
    for (const compared_policy& p : plan.runs)
      o.adapts = o.adapts || (p.name == row.name && p.rule && p.rule->adapts());
    for (const compared_run* run : runs_of(row, runs)) {
      o.decisions.push_back(run->report.decisions);
      if (!run->report.names.empty()) names = run->report.names;
    }
    all.push_back(std::move(o));
  }
  std::vector<double> loads;
  for (const compared_run& run : runs) loads.push_back(run.report.foreign_load);
  const std::string base = plan.goal.is_latency()        ? plan.baseline + " by mean latency"
                           : plan.goal.is_fewest_cores() ? "fewer cores than " + plan.baseline
                                                         : plan.baseline;
  return outcome_text(all, base, names, plan.machine.size(), loads);
}

}  // namespace weir::command
