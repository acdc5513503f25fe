#include "scheduler/simulate/cost_truth.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

namespace weir::simulation {
namespace {

constexpr double shortest = 1e-12;  // the least time that is_usable() accepts

// The value at `at` on the line through the points around it; beyond the ends, the value of the end. REQUIRES: points.
template <typename Point, typename Key, typename Value>
double along(const std::vector<Point>& points, double at, Key key, Value value) {
  const auto after = std::find_if(points.begin(), points.end(), [&](const Point& p) { return key(p) >= at; });
  if (after == points.begin()) return value(points.front());
  if (after == points.end()) return value(points.back());
  const auto before = after - 1;
  const double part = (at - key(*before)) / (key(*after) - key(*before));
  return value(*before) + part * (value(*after) - value(*before));
}

}  // namespace

double law_cost::operator()(double x, int cores) const {
  double sequential = 0;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sequential = sequential * x + *c;
  for (const step& s : steps)
    if (x > s.from) sequential *= s.factor;
  const double p = cores;
  const double part = pieces > 0 ? std::ceil(pieces / p) / pieces : 1 / p;
  return sequential * (alpha * part + (1 - alpha) + contention * (p - 1)) + fork_join * (p - 1);
}

double table_cost::operator()(double x, int cores) const {
  const double time = seconds[std::min(static_cast<std::size_t>(cores), seconds.size()) - 1];
  return power == 0 ? time : time * std::pow(x, power);
}

cost_truth model_cost(const estimator& model) {
  return [snapshot = std::shared_ptr<const estimator>(model.clone())](double x, int cores) {
    return std::max(snapshot->predict(x, cores).mean, shortest);
  };
}

cost_truth recorded_cost(std::vector<recorded_invocation> seen) {
  if (seen.empty()) throw std::invalid_argument("recorded cost: there are no invocations");
  using column = std::vector<std::pair<double, double>>;               // x and mean seconds, x ascending
  std::map<double, std::map<double, std::pair<double, double>>> sums;  // by 1/p, then x: sum and count
  for (const recorded_invocation& i : seen) {
    auto& [sum, count] = sums[1.0 / i.cores][i.x];
    sum += i.seconds;
    count += 1;
  }
  std::vector<std::pair<double, column>> columns;  // 1/p ascending
  for (const auto& [inverse, by_x] : sums) {
    columns.emplace_back(inverse, column{});
    for (const auto& [x, mean] : by_x) columns.back().second.emplace_back(x, mean.first / mean.second);
  }
  return [columns = std::move(columns)](double x, int cores) {
    return along(
        columns, 1.0 / cores, [](const auto& c) { return c.first; },
        [x](const auto& c) {
          return along(
              c.second, x, [](const auto& p) { return p.first; }, [](const auto& p) { return p.second; });
        });
  };
}

}  // namespace weir::simulation
