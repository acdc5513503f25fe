#include "bench/weir/common/predicted_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/weir/common/named_estimator.hpp"

namespace weir::program {
namespace {

// Nine tenths of a normal distribution lie within this many standard deviations.
constexpr double ninety_percent = 1.6448536269514722;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

table_row row_of(const estimator& model, double x, int cores, double on_one) {
  const prediction p = model.predict(x, cores);
  const auto [low, high] = ninety_percent_within(p.mean, p.spread);
  return {.x = x,
          .cores = cores,
          .seconds = p.mean,
          .sd = p.spread,
          .p99 = model.quantile(0.99, x, cores),
          .low = low,
          .high = high,
          .speedup = on_one > 0 && p.mean > 0 ? on_one / p.mean : unknown,
          .extrapolates = p.extrapolates};
}

bool is_better(const table_row& a, const table_row& b) {
  if (!std::isfinite(a.seconds) || a.seconds < 0) return false;  // no usable time
  return !std::isfinite(b.seconds) || a.seconds < b.seconds || (a.seconds == b.seconds && a.cores < b.cores);
}

}  // namespace

std::pair<double, double> ninety_percent_within(double seconds, double sd) {
  const double least = seconds - ninety_percent * sd;
  return {seconds < 0 ? least : std::max(least, 0.0), seconds + ninety_percent * sd};  // NaN stays NaN
}

predicted_component predict_table(const std::string& name, const saved_model& saved, const std::vector<double>& xs,
                                  const std::vector<int>& cores) {
  const auto restored = model_of_one_x(saved);
  const auto model = restored->clone();  // fitted once, for many predictions
  predicted_component result{"", name, saved.estimator, saved.degree, saved.machine, model->describe(), {}, {}};
  for (const double x : xs) {
    const double on_one = model->predict(x, 1).mean;
    table_row best{x, 0, unknown, unknown, unknown, unknown, unknown, unknown, true};
    for (const int p : cores) {
      result.table.push_back(row_of(*model, x, p, on_one));
      if (result.learnt.alpha_known && is_better(result.table.back(), best)) best = result.table.back();
    }
    result.best.push_back(best);
  }
  return result;
}

}  // namespace weir::program
