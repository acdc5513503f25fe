#include "bench/paper/offline.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"
#include "model/law/parallel_share.hpp"

namespace weir::paper {
namespace {

using point = std::pair<int, double>;  // cores, x

std::map<point, std::vector<double>> by_point(const std::vector<timed_row>& rows) {
  std::map<point, std::vector<double>> times;
  for (const timed_row& row : rows) times[{row.cores, row.x}].push_back(row.seconds);
  return times;
}

}  // namespace

std::vector<int> passes_of(const std::vector<timed_row>& rows) {
  std::map<point, int> seen;
  std::vector<int> passes;
  passes.reserve(rows.size());
  for (const timed_row& row : rows) passes.push_back(seen[{row.cores, row.x}]++);
  return passes;
}

halves split(const std::vector<timed_row>& rows) {
  const std::vector<int> passes = passes_of(rows);
  halves out;
  for (std::size_t i = 0; i < rows.size(); ++i) (passes[i] % 2 == 0 ? out.learnt : out.held_out).push_back(rows[i]);
  return out;
}

std::vector<timed_row> means(const std::vector<timed_row>& rows) {
  std::vector<timed_row> out;
  for (const auto& [at, times] : by_point(rows)) {
    double sum = 0;
    for (const double t : times) sum += t;
    out.push_back({at.second, sum / static_cast<double>(times.size()), at.first});
  }
  return out;
}

std::unique_ptr<estimator> fitted(const std::string& name, const std::vector<timed_row>& rows) {
  const auto model = make_estimator(name, degree{3});
  for (const timed_row& row : rows) model->observe({.x = row.x, .cores = row.cores, .seconds = row.seconds});
  return model->clone();  // fits once
}

std::vector<point_alpha> alphas(const estimator& model, const std::vector<timed_row>& points) {
  std::vector<point_alpha> out;
  for (const timed_row& p : points) {
    if (p.cores == 1) continue;
    const double sequential = model.predict(p.x, 1).sequential;
    if (sequential <= 0) continue;
    out.push_back({p.x, p.cores, parallel_share(p.seconds, sequential, p.cores)});
  }
  return out;
}

std::vector<misprediction> mispredictions(const estimator& model, const std::vector<timed_row>& rows) {
  std::vector<misprediction> out;
  for (const auto& [at, times] : by_point(rows)) {
    const double predicted = model.predict(at.second, at.first).mean;
    std::vector<double> percent, seconds;
    for (const double t : times) {
      seconds.push_back(std::abs(predicted - t));
      percent.push_back(100 * seconds.back() / t);
    }
    out.push_back({at.second, at.first, program::quantile(percent, 0.5), program::quantile(seconds, 0.5)});
  }
  return out;
}

}  // namespace weir::paper
