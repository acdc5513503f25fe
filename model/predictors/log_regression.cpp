#include "model/predictors/log_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "model/least_squares/bounded_matrix.hpp"

namespace weir {
namespace {

// Where the line of log p bends. Amdahl's law turns from dividing the time to a constant within about two octaves.
constexpr std::array bends{0.0, 0.7, 1.8, 3.0};

// The value that a coefficient has before anything is seen, and how far it may be from that.
struct prior {
  double mean, deviation;
};
constexpr prior of_cores{-0.9, 0.3}, of_bend_of_cores{0, 0.3}, of_slope{0.5, 0.7}, of_bend{0, 0.3}, of_level{0, 1.5};
constexpr prior of_constant{0, 1e3};

prior prior_of(int column, int first_number, int dense) {
  if (column == 0) return of_constant;
  if (column < first_number) return column == 1 ? of_cores : of_bend_of_cores;
  if (column < dense) return (column - first_number) % 2 == 0 ? of_slope : of_bend;
  return of_level;
}

}  // namespace

predictor_range range_of(std::span<const index_sample> samples, int predictor) {
  predictor_range out;
  out.low = out.high = samples[0].of[predictor];
  out.least = 1e300;
  bool is_few = true;
  for (const index_sample& s : samples) {
    const float v = s.of[predictor];
    out.low = std::min<double>(out.low, v);
    out.high = std::max<double>(out.high, v);
    if (v > 0) out.least = std::min<double>(out.least, v);
    const auto end = out.value.begin() + out.values;
    if (!is_few || std::find(out.value.begin(), end, v) != end) continue;
    is_few = v == std::floor(v) && out.values < predictor_range::most_values;
    if (is_few) out.value[out.values++] = v;
  }
  if (!is_few) out.values = 0;
  out.is_number = out.low >= 0 && out.high > 0;
  if (!(out.least < 1e300)) out.least = 1;
  return out;
}

log_regression::log_regression(std::span<const index_sample> samples, std::span<const predictor_range> ranges)
    : samples_(samples), ranges_(ranges), rows_(samples.size()), gram_(most_columns) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    row& r = rows_[i];
    r.column[0] = 1;
    const double log_p = std::log(static_cast<double>(samples[i].cores));
    for (int b = 0; b < regression::bends_of_cores; ++b) r.column[1 + b] = std::max(log_p - bends[b], 0.0);
    r.level.fill(-1);
    for (std::size_t j = 0; j < ranges.size(); ++j) {
      const predictor_range& of = ranges[j];
      const float v = samples[i].of[j];
      if (of.is_number) {
        const double z = std::log(std::max<double>(v, of.least));
        const double away = z - (std::log(of.least) + std::log(of.high)) / 2;
        r.column[first_number + 2 * j] = z;
        r.column[first_number + 2 * j + 1] = away * away;
      }
      for (int k = 0; k < of.values; ++k)
        if (of.value[k] == v) r.level[j] = static_cast<std::int8_t>(of.first_level + k);
    }
    r.y = samples[i].log_seconds;
  }
}

void log_regression::sum_up() {
  for (auto& line : gram_) line.fill(0);
  right_.fill(0);
  square_ = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const row& r = rows_[i];
    square_ += r.weight * r.y * r.y;
    for (int a = 0; a < dense; ++a) {
      const double weighted = r.weight * r.column[a];
      if (weighted == 0) continue;
      right_[a] += weighted * r.y;
      for (int b = 0; b <= a; ++b) gram_[a][b] += weighted * r.column[b];
    }
    for (std::size_t j = 0; j < ranges_.size(); ++j) {
      if (r.level[j] < 0) continue;
      const int a = dense + r.level[j];
      right_[a] += r.weight * r.y;
      for (int b = 0; b < dense; ++b) gram_[a][b] += r.weight * r.column[b];
      for (std::size_t k = 0; k <= j; ++k)
        if (r.level[k] >= 0) gram_[std::max(a, dense + r.level[k])][std::min(a, dense + r.level[k])] += r.weight;
    }
  }
}

regression log_regression::solve(const regression_columns& columns) const {
  std::array<int, most_columns> used{};
  int count = 0;
  regression out;
  constexpr std::size_t many = 24;
  const int bends_told = samples_.size() < many ? 2 : regression::bends_of_cores;
  for (int a = 0; a <= bends_told; ++a)
    if (gram_[a][a] > 0) used[count++] = a, ++out.parameters;
  for (std::size_t j = 0; j < ranges_.size(); ++j) {
    const int at = first_number + 2 * static_cast<int>(j);
    if (columns.line[j]) used[count++] = at, ++out.parameters;
    if (columns.bend[j]) used[count++] = at + 1, ++out.parameters;
  }
  for (std::size_t j = 0; j < ranges_.size(); ++j) {
    if (!columns.levels[j]) continue;
    for (int k = 0; k < ranges_[j].values; ++k) used[count++] = dense + ranges_[j].first_level + k;
    out.parameters += ranges_[j].values - 1;
  }
  Eigen::MatrixXd gram(count, count);
  bounded_vector<most_columns> right(count), mean(count);
  for (int i = 0; i < count; ++i) {
    const prior p = prior_of(used[i], first_number, dense);
    const double precision = variance_ / (p.deviation * p.deviation);
    for (int k = 0; k <= i; ++k) gram(i, k) = gram_[used[i]][used[k]];
    right(i) = right_[used[i]] + precision * p.mean;
    gram(i, i) += precision;
  }
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower> factor(gram);  // in place
  const bounded_vector<most_columns> c = factor.solve(right);
  double explained = 0;
  for (int i = 0; i < count; ++i) {
    double line = 0;
    for (int k = 0; k < count; ++k) line += gram_[std::max(used[i], used[k])][std::min(used[i], used[k])] * c(k);
    explained += c(i) * (2 * right_[used[i]] - line);
  }
  out.squares = std::max(square_ - explained, 0.0);
  for (int i = 0; i < count; ++i) {
    const int a = used[i];
    if (a == 0)
      out.constant = c(i);
    else if (a < first_number)
      out.cores[a - 1] = c(i);
    else if (a >= dense)
      out.levels[a - dense] = c(i);
    else
      ((a - first_number) % 2 == 0 ? out.slope : out.bend)[(a - first_number) / 2] = c(i);
  }
  return out;
}

double log_regression::beside(std::size_t sample, const regression& by) const {
  const row& r = rows_[sample];
  double sum = 0;
  for (int b = 0; b < regression::bends_of_cores; ++b) sum += by.cores[b] * r.column[1 + b];
  for (const int level : r.level)
    if (level >= 0) sum += by.levels[level];
  return sum;
}

void log_regression::weigh(const regression& by) {
  std::array<double, most_index_samples> residuals{};
  const std::size_t n = samples_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const row& r = rows_[i];
    double expected = by.constant + beside(i, by);
    for (std::size_t j = 0; j < ranges_.size(); ++j)
      expected += by.slope[j] * r.column[first_number + 2 * j] + by.bend[j] * r.column[first_number + 2 * j + 1];
    residuals[i] = std::abs(r.y - expected);
  }
  std::array<double, most_index_samples> sorted = residuals;
  std::nth_element(sorted.begin(), sorted.begin() + n / 2, sorted.begin() + n);
  const double free = std::max<double>(static_cast<double>(n) - by.parameters, 1);
  const double deviation = std::max(1.4826 * sorted[n / 2] * std::sqrt(static_cast<double>(n) / free), least_residual);
  variance_ = deviation * deviation;
  constexpr double bound = 2;  // as of huber_weight()
  for (std::size_t i = 0; i < n; ++i)
    rows_[i].weight = residuals[i] > bound * deviation ? bound * deviation / residuals[i] : 1;
}

}  // namespace weir
