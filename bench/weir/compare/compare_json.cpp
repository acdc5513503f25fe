#include "bench/weir/compare/compare_report.hpp"

#include <numeric>
#include <set>

#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"
#include "bench/weir/common/learnt_json.hpp"

namespace weir::command {
namespace {

json interval(const median_interval& of) {
  return {{"median", number(of.median)}, {"low", number(of.low)}, {"high", number(of.high)}};
}

json row_json(const compared_row& r) {
  return {{"policy", r.name},
          {"ran", r.text},
          {"candidates", r.candidates},
          {"throughput_per_second", {{"median", r.throughput}, {"min", r.least}, {"max", r.most}}},
          {"ratio_to_baseline", interval(r.to_baseline)},
          {"ratio_to_best_fixed", r.to_best_fixed ? interval(*r.to_best_fixed) : json(nullptr)},
          {"latency_seconds", {{"mean", r.latency_mean}, {"p50", r.latency_p50}, {"p99", r.latency_p99}}},
          {"moves", r.moves ? json(*r.moves) : json(nullptr)},
          {"cores_used", number(r.cores_used)},
          {"error_percent", {{"median", number(r.error_median)}, {"p95", number(r.error_p95)}}},
          {"checks", {{"results", r.checked}, {"wrong", r.wrong}}}};
}

// The initial allotment and the moves, in the form of the report's own JSON.
json allotments_of(const compared_run& run) {
  return run.report.names.empty() ? json::array() : json::parse(run.report.json()).at("decisions");
}

json run_json(const compared_run& run) {
  const double sum = std::accumulate(run.latencies.begin(), run.latencies.end(), 0.0);
  return {{"policy", run.name},
          {"ran", run.text},
          {"round", run.round},
          {"records", run.latencies.size()},
          {"seconds", run.seconds},
          {"throughput_per_second", run.throughput()},
          {"latency_seconds",
           {{"mean", sum / static_cast<double>(run.latencies.size())},
            {"p50", quantile(run.latencies, 0.5)},
            {"p99", quantile(run.latencies, 0.99)}}},
          {"foreign_load", number(run.report.foreign_load)},
          {"allotments", allotments_of(run)}};
}

}  // namespace

std::string compare_json(const compare_plan& plan, const std::vector<compared_row>& rows,
                         const std::vector<compared_run>& runs) {
  json policies = json::array(), all = json::array();
  for (const compared_row& r : rows) policies.push_back(row_json(r));
  std::set<std::string> notes;
  for (const compared_run& r : runs) {
    all.push_back(run_json(r));
    notes.insert(r.report.notes.begin(), r.report.notes.end());
  }
  const json result{{"workload", plan.entry.name},
                    {"about", plan.entry.about},
                    {"work", plan.work.work},
                    {"components", plan.work.components},
                    {"records", plan.work.records},
                    {"scale", plan.scale},
                    {"seed", plan.seed},
                    {"machine", plan.machine.summary()},
                    {"cores", plan.machine.size()},
                    {"emulated", plan.entry.is_emulated()},
                    {"processor", plan.entry.is_emulated() ? "" : processor_name()},
                    {"build", build_type()},
                    {"estimator", plan.estimator},
                    {"objective", plan.objective},
                    {"rounds", plan.rounds},
                    {"interrupted", plan.interrupted},
                    {"summary", outcome_of(plan, rows, runs)},
                    {"baseline", plan.baseline},
                    {"policies", policies},
                    {"runs", all},
                    {"notes", notes}};
  return json_text(result);
}

}  // namespace weir::command
