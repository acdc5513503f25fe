#include "bench/weir/fit/fitted_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

constexpr int more_than_any_degree = 32;  // different x are counted up to here

forecast foresee(const estimator& model, const timed_row& row) {
  const prediction p = model.predict(row.x, row.cores);
  return {p.mean, p.spread};
}

std::vector<forecast> foresee_all(const estimator& model, const std::vector<timed_row>& rows) {
  std::vector<forecast> all;
  all.reserve(rows.size());
  for (const timed_row& row : rows) all.push_back(foresee(model, row));
  return all;
}

error_summary errors_of(const std::vector<timed_row>& rows, const std::vector<forecast>& forecasts) {
  std::vector<double> errors;
  errors.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const double error = 100 * std::abs(forecasts[i].mean - rows[i].seconds) / rows[i].seconds;
        std::isfinite(error))
      errors.push_back(error);
  std::sort(errors.begin(), errors.end());
  return {.rows = errors.size(),
          .unpredicted = rows.size() - errors.size(),
          .median = sorted_quantile(errors, 0.5),
          .p95 = sorted_quantile(errors, 0.95),
          .max = sorted_quantile(errors, 1)};
}

double mean_confidence(const estimator& model, const std::vector<timed_row>& rows) {
  double sum = 0;
  for (const timed_row& row : rows) sum += model.predict(row.x, row.cores).confidence;
  return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

// k + 1 coefficients need k + 1 different x.
int degree_for(const component_rows& seen, const asked_degrees& asked, std::vector<std::string>& notes) {
  const auto named = asked.by_name.find(seen.name);
  const bool is_named = named != asked.by_name.end();
  const int k = is_named ? named->second : asked.for_all.value_or(asked_degrees::otherwise);
  const int different = different_x(seen.rows, more_than_any_degree);
  if (different == 0 || k < different) return k;
  notes.push_back(fmt::format("degree {} {}, data carry {} ({} different x): fitted degree {}", k,
                              is_named || asked.for_all ? "asked" : "by default", different - 1, different,
                              different - 1));
  return different - 1;
}

void note_left_out(const component_rows& rows, const std::string& of, std::vector<std::string>& notes) {
  if (rows.after_move)
    notes.push_back(fmt::format("{} right after a move left out{}: such rows measure the move",
                                counted(rows.after_move, "row"), of));
  if (rows.without_cpu_time)
    notes.push_back(fmt::format("{} left out{}: CPU time was not read", counted(rows.without_cpu_time, "row"), of));
}

void note_what_is_not_known(const component_rows& seen, std::vector<std::string>& notes) {
  if (seen.rows.empty()) return notes.push_back("nothing to learn from");
  const timed_row& first = seen.rows.front();
  if (different_x(seen.rows, 2) == 1)
    notes.push_back(fmt::format("one x seen ({}): what others cost is a guess", first.x));
  if (std::all_of(seen.rows.begin(), seen.rows.end(), [&](const timed_row& r) { return r.cores == first.cores; }))
    notes.push_back(fmt::format("one p seen ({}): alpha is assumed", first.cores));
}

}  // namespace

fitted_component fit(const component_rows& seen, const component_rows* test, const std::string& kind,
                     const fit_plan& plan, const std::function<void()>& on_row) {
  fitted_component result;
  result.name = seen.name;
  result.estimator = kind;
  result.skipped = seen.after_move + seen.without_cpu_time;
  note_left_out(seen, "", result.notes);
  result.degree = degree_for(seen, plan.degrees, result.notes);
  note_what_is_not_known(seen, result.notes);

  const auto learner = make_estimator(kind, degree{result.degree});
  std::vector<forecast> foreseen;
  for (const timed_row& row : seen.rows) {
    if (plan.online) foreseen.push_back(foresee(*learner, row));
    learner->observe({.x = row.x, .cores = row.cores, .seconds = row.seconds});
    on_row();
  }

  const auto model = learner->clone();  // fitted once, for many predictions
  result.learnt = model->describe();
  result.confidence = mean_confidence(*model, seen.rows);
  result.saved = {kind, result.degree, learner->state()};
  result.shown = &seen.rows;
  result.forecasts = foresee_all(*model, seen.rows);
  result.training = errors_of(seen.rows, result.forecasts);
  if (plan.online) {
    result.online = errors_of(seen.rows, foreseen);
    result.forecasts = std::move(foreseen);
  }
  if (test && !test->rows.empty()) {
    result.shown = &test->rows;
    result.forecasts = foresee_all(*model, test->rows);
    result.test = errors_of(test->rows, result.forecasts);
    note_left_out(*test, " of the test", result.notes);
  } else if (plan.test) {
    result.shown = nullptr;
    result.forecasts.clear();
    result.notes.push_back(fmt::format("{} has no row to test it on", *plan.test));
  }
  if (!seen.rows.empty() && result.training.unpredicted)
    result.notes.push_back(
        fmt::format("no prediction for {} that it learnt from", counted(result.training.unpredicted, "row")));
  if (result.test && result.test->unpredicted)
    result.notes.push_back(fmt::format("no prediction for {} of the test", counted(result.test->unpredicted, "row")));
  return result;
}

}  // namespace weir::program
