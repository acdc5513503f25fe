#include "bench/weir/compare/compare_report.hpp"

#include "bench/support/host.hpp"

namespace weir::program {
namespace {

json interval(const median_interval& of) {
  return {{"median", number(of.median)}, {"low", number(of.low)}, {"high", number(of.high)}};
}

json row_json(const policy_row& r) {
  return {{"policy", r.name},
          {"ran", r.text},
          {"candidates", r.candidates},
          {"throughput_per_second", throughput_json(r)},
          {"ratio_to_baseline", interval(r.to_baseline)},
          {"ratio_to_best_fixed", r.to_best_fixed ? interval(*r.to_best_fixed) : json(nullptr)},
          {"latency_seconds", {{"mean", r.latency_mean}, {"p50", r.latency_p50}, {"p99", r.latency_p99}}},
          {"moves", r.moves ? json(*r.moves) : json(nullptr)},
          {"cores_used", number(r.cores_used)},
          {"error_percent", {{"median", number(r.error_median)}, {"p95", number(r.error_p95)}}},
          {"checks", {{"results", r.checked}, {"wrong", r.wrong}}}};
}

// The initial allotment and the moves, in the form of the report's own JSON.
json allotments_of(const timed_run& run) {
  return run.report.names.empty() ? json::array() : json::parse(run.report.json()).at("decisions");
}

json json_of(const timed_run& run) {
  json j{{"policy", run.name}, {"ran", run.text}};
  j.update(run_json(run));
  j["allotments"] = allotments_of(run);
  return j;
}

}  // namespace

std::string compare_json(const compare_plan& plan, const std::vector<policy_row>& rows,
                         const std::vector<timed_run>& runs) {
  json policies = json::array(), all = json::array();
  for (const policy_row& r : rows) policies.push_back(row_json(r));
  for (const timed_run& r : runs) all.push_back(json_of(r));
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
                    {"processor", plan.processor()},
                    {"build", build_type()},
                    {"estimator", plan.estimator},
                    {"objective", plan.objective},
                    {"rounds", plan.rounds},
                    {"interrupted", plan.interrupted},
                    {"summary", outcome_of(plan, rows, runs)},
                    {"baseline", plan.baseline},
                    {"policies", policies},
                    {"runs", all},
                    {"notes", notes_of(runs)}};
  return json_text(result);
}

}  // namespace weir::program
