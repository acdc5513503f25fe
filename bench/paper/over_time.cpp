#include "bench/paper/over_time.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"

namespace weir::paper {
namespace {

// NaN if any value is: a quantile of the rest would compare other rows than the medians of the other ways.
double median(const std::vector<double>& values) {
  const bool gaps = std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  return gaps ? std::numeric_limits<double>::quiet_NaN() : program::quantile(values, 0.5);
}

}  // namespace

foretold foretell(const std::vector<timed_row>& rows) {
  const std::vector<int> passes = passes_of(rows);
  const auto second = std::find(passes.begin(), passes.end(), 1);
  foretold out{{}, static_cast<std::size_t>(second - passes.begin())};

  const std::vector<timed_row> first(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(out.first_pass));
  const auto by_x = [](const timed_row& a, const timed_row& b) { return a.x < b.x; };
  const double half = rows.empty() ? 0 : std::max_element(rows.begin(), rows.end(), by_x)->x / 2;
  std::vector<timed_row> small;
  std::copy_if(first.begin(), first.end(), std::back_inserter(small), [&](const timed_row& r) { return r.x <= half; });
  const auto all_x = fitted("extended-amdahl", first);
  const auto small_x = fitted("extended-amdahl", small);
  const auto incremental = make_estimator("extended-amdahl-online", degree{3});
  const auto ours = make_estimator("weir", degree{3});

  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  out.seconds.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const timed_row& r = rows[i];
    const bool later = i >= out.first_pass;
    out.seconds.push_back({later ? all_x->predict(r.x, r.cores).mean : nothing,
                           later ? small_x->predict(r.x, r.cores).mean : nothing,
                           incremental->predict(r.x, r.cores).mean, ours->predict(r.x, r.cores).mean});
    const observation seen{.x = r.x, .cores = r.cores, .seconds = r.seconds};
    incremental->observe(seen);
    ours->observe(seen);
  }
  return out;
}

std::vector<stretch> stretches(const std::vector<timed_row>& rows, const foretold& by, std::size_t count) {
  std::vector<stretch> out;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t begin = rows.size() * k / count;
    stretch one{.end = rows.size() * (k + 1) / count};
    for (std::size_t w = 0; w < ways; ++w) {
      std::vector<double> percent, seconds;
      for (std::size_t i = begin; i < one.end; ++i) {
        seconds.push_back(std::abs(by.seconds[i][w] - rows[i].seconds));
        percent.push_back(100 * seconds.back() / rows[i].seconds);
      }
      one.percent[w] = median(percent);
      one.seconds[w] = median(seconds);
    }
    out.push_back(one);
  }
  return out;
}

std::vector<double> later_errors(const std::vector<timed_row>& rows, const foretold& by, way who, double smallest_x) {
  std::vector<double> errors;
  for (std::size_t i = by.first_pass; i < rows.size(); ++i)
    if (rows[i].x >= smallest_x)
      errors.push_back(100 * std::abs(by.seconds[i][static_cast<std::size_t>(who)] - rows[i].seconds) /
                       rows[i].seconds);
  return errors;
}

}  // namespace weir::paper
