#include "bench/weir/matmul/matmul_report.hpp"

#include "bench/support/host.hpp"
#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/matmul/summary.hpp"

namespace weir::command {
namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// The report's own JSON has the decisions; the first is the start, the others are moves.
json moves_of(const measured_run& run) {
  const json report = json::parse(run.report.json());
  json moves = json::array();
  for (const json& d : report.at("decisions"))
    if (!d.at("from").is_null()) moves.push_back(d);
  return moves;
}

json components_of(const measured_run& run, const learnt_summary& learnt) {
  json all = json::array();
  for (std::size_t i = 0; i < learnt.components.size(); ++i) {
    const component_summary& c = learnt.components[i];
    const component_report& ran = run.report.components[i];
    all.push_back(
        {{"name", c.name},
         {"cores", ran.cores},
         {"width", ran.width},
         {"place", ran.place},
         {"alpha", number(c.model.alpha)},
         {"alpha_known", c.model.alpha_known},
         {"coefficients", c.model.coefficients},
         {"contention", number(c.model.contention)},
         {"fork_join", number(c.model.fork_join)},
         {"scatter", number(c.model.scatter)},
         {"model", c.model.words},
         {"observations", ran.observations},
         {"mean_seconds", number(ran.mean_seconds)},
         {"error_percent", {{"median", number(quantile(c.errors, 0.5))}, {"p95", number(quantile(c.errors, 0.95))}}}});
  }
  return all;
}

json table_of(const learnt_summary& learnt) {
  json rows = json::array();
  for (const cost_row& r : learnt.rows)
    rows.push_back({{"component", r.component},
                    {"x", r.x},
                    {"cores", r.cores},
                    {"observations", r.observations},
                    {"observed_seconds", number(r.observed)},
                    {"observed_median_seconds", number(r.median)},
                    {"predicted_seconds", number(r.predicted)}});
  return rows;
}

json run_json(const matmul_plan& plan, const measured_run& run, const learnt_summary& learnt) {
  json j{
      {"policy", run.policy},
      {"objective", plan.objective},
      {"round", run.round},
      {"kernel", plan.kernel},
      {"machine", run.report.machine},
      {"processor", plan.machine_text == "local" ? processor_name() : ""},
      {"build", build_type()},
      {"estimator", plan.estimator},
      {"seed", plan.seed},
      {"order", plan.order},
      {"time", name_of(plan.time)},
      {"foreign_load", number(run.report.foreign_load)},
      {"sizes", plan.sizes},
      {"repeat", plan.repeat},
      {"interrupted", plan.interrupted},
      {"records", run.latencies.size()},
      {"seconds", run.seconds},
      {"throughput_per_second", run.throughput()},
      {"latency_seconds",
       {{"mean", mean(run.latencies)}, {"p50", quantile(run.latencies, 0.5)}, {"p99", quantile(run.latencies, 0.99)}}},
      {"moves", moves_of(run)},
      {"components", components_of(run, learnt)},
      {"table", table_of(learnt)},
      {"checks", {{"products", run.products}, {"wrong", run.wrong}}},
      {"notes", run.report.notes}};
  if (plan.emulated) {
    const emulated_summary e = emulated_summary_of(plan, run);
    j["emulated"] = {{"records", e.records},
                     {"best_bottleneck_seconds", e.best},
                     {"equal_bottleneck_seconds", e.equal},
                     {"reached_bottleneck_seconds", e.reached},
                     {"ratio", e.ratio()},
                     {"allotment", e.allotment}};
  }
  return j;
}

}  // namespace

std::string matmul_json(const matmul_plan& plan, const std::vector<measured_run>& runs) {
  std::vector<const measured_run*> all;
  for (const measured_run& r : runs) all.push_back(&r);
  json list = json::array();
  for (const measured_run& r : runs)
    list.push_back(run_json(plan, r, learnt_from(plan.grid ? all : std::vector<const measured_run*>{&r})));
  if (runs.size() == 1) {
    list.front()["summary"] = outcome_of(plan, runs);
    return json_text(list.front());
  }

  json comparison = json::array();
  for (const policy_row& row : compared(plan, runs))
    comparison.push_back(
        {{"policy", row.policy},
         {"throughput_per_second", {{"median", row.throughput}, {"min", row.least}, {"max", row.most}}},
         {"ratio_to_first", row.ratio},
         {"latency_seconds_p50", row.latency_p50},
         {"checks", {{"products", row.products}, {"wrong", row.wrong}}}});
  return json_text({{"interrupted", plan.interrupted},
                    {"summary", outcome_of(plan, runs)},
                    {"comparison", comparison},
                    {"runs", list}});
}

}  // namespace weir::command
