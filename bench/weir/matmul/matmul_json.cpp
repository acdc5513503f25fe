#include "bench/weir/matmul/matmul_report.hpp"

#include "bench/support/host.hpp"
#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/matmul/summary.hpp"

namespace weir::program {
namespace {

// The report's own JSON has the decisions; the first is the start, the others are moves.
json moves_of(const timed_run& run) {
  const json report = json::parse(run.report.json());
  json moves = json::array();
  for (const json& d : report.at("decisions"))
    if (!d.at("from").is_null()) moves.push_back(d);
  return moves;
}

json components_of(const timed_run& run, const learnt_summary& learnt) {
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

json json_of(const matmul_plan& plan, const timed_run& run, const learnt_summary& learnt) {
  json j{{"policy", run.text},
         {"objective", plan.objective},
         {"kernel", plan.kernel},
         {"machine", run.report.machine},
         {"processor", plan.processor()},
         {"build", build_type()},
         {"estimator", plan.estimator},
         {"seed", plan.seed},
         {"order", plan.order},
         {"time", name_of(plan.time)},
         {"sizes", plan.sizes},
         {"repeat", plan.repeat},
         {"interrupted", plan.interrupted}};
  j.update(run_json(run));
  j.update({{"moves", moves_of(run)},
            {"components", components_of(run, learnt)},
            {"table", table_of(learnt)},
            {"checks", {{"products", run.checked}, {"wrong", run.wrong}}},
            {"notes", run.report.notes}});
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

std::string matmul_json(const matmul_plan& plan, const std::vector<policy_row>& rows,
                        const std::vector<timed_run>& runs) {
  std::vector<const timed_run*> all;
  for (const timed_run& r : runs) all.push_back(&r);
  json list = json::array();
  for (const timed_run& r : runs)
    list.push_back(json_of(plan, r, learnt_from(plan.grid ? all : std::vector<const timed_run*>{&r}, plan.time)));
  const std::string summary = plan.grid ? "" : outcome_of(plan, rows, runs);
  if (runs.size() == 1) {
    list.front()["summary"] = summary;
    return json_text(list.front());
  }

  json comparison = json::array();
  for (const policy_row& row : rows)
    comparison.push_back({{"policy", row.name},
                          {"throughput_per_second", throughput_json(row)},
                          {"ratio_to_first", row.to_baseline.median},
                          {"latency_seconds_p50", row.latency_p50},
                          {"checks", {{"products", row.checked}, {"wrong", row.wrong}}}});
  return json_text(
      {{"interrupted", plan.interrupted}, {"summary", summary}, {"comparison", comparison}, {"runs", list}});
}

}  // namespace weir::program
