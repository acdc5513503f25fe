#include "bench/weir/compare/compare_summary.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"

namespace weir::program {

std::vector<policy_row> compared_rows(const compare_plan& plan, const std::vector<timed_run>& runs) {
  std::vector<policy_row> rows = policy_rows(plan, runs);
  const auto best =
      std::find_if(rows.begin(), rows.end(), [](const policy_row& r) { return r.name == best_fixed_name; });
  for (policy_row& row : rows) {
    if (best != rows.end()) row.to_best_fixed = bootstrap_median(paired(plan, row, *best, runs));
    std::vector<double> errors;
    for (const timed_run* run : runs_of(row, runs)) {
      const std::vector<double> some = foresight_errors(plan, *run);
      errors.insert(errors.end(), some.begin(), some.end());
    }
    row.error_median = quantile(errors, 0.5);
    row.error_p95 = quantile(errors, 0.95);
  }
  return rows;
}

std::vector<double> foresight_errors(const compare_plan& plan, const timed_run& run) {
  std::vector<std::unique_ptr<estimator>> models;
  for (const std::string& name : run.report.names)
    models.push_back(make_estimator(plan.estimator, degree{run.models.at(name).degree}));
  const measured_time learnt_from = options().learn_from;  // as in the run
  std::vector<double> errors;
  for (const observation& o : run.observations) {
    if (!is_usable(o)) continue;
    observation learnt = o;
    learnt.seconds = cost_of(o, learnt_from);
    const double error =
        100 * std::abs(models[o.component]->predict(o.x, o.cores).mean - learnt.seconds) / learnt.seconds;
    if (std::isfinite(error)) errors.push_back(error);
    models[o.component]->observe(learnt);
  }
  return errors;
}

}  // namespace weir::program
