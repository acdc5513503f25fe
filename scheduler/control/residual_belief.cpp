#include "scheduler/control/residual_belief.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "scheduler/view/counter_random.hpp"

namespace weir {
namespace {

using matrix = Eigen::MatrixXd;
using vector = Eigen::VectorXd;

constexpr double level = 0.3;                              // one standard deviation of the logarithm
constexpr double known_slope = 0.15, unknown_slope = 0.5;  // for each octave
constexpr double roughness = 0.13;
constexpr int beyond = 4;  // times the largest number of cores seen: further ones are as there

// The numbers of cores where factors are computed: those seen, and two for each octave.
std::vector<double> grid(std::span<const residual> seen, int most) {
  std::vector<int> cores;
  int largest = 1;
  for (const residual& r : seen) largest = std::max(largest, r.cores), cores.push_back(r.cores);
  for (double p = 1; p <= std::min(most, beyond * largest); p *= std::numbers::sqrt2)
    cores.push_back(static_cast<int>(std::lround(p)));
  std::ranges::sort(cores);
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  std::vector<double> octaves;
  for (const int p : cores) octaves.push_back(std::log2(p));
  return octaves;
}

}  // namespace

residual_belief::residual_belief(std::span<const residual> seen, int now, int most, bool is_shape_known)
    : octaves_(grid(seen, most)), mean_(octaves_.size(), 0), root_(octaves_.size() * octaves_.size(), 0) {
  const double slope = is_shape_known ? known_slope : unknown_slope, here = std::log2(now);
  const auto covariance = [&](double a, double b) {
    return level * level + slope * slope * (a - here) * (b - here) + roughness * roughness * std::exp(-std::abs(a - b));
  };
  const auto n = static_cast<Eigen::Index>(octaves_.size()), m = static_cast<Eigen::Index>(seen.size());
  const auto asked = [&](Eigen::Index i) { return octaves_[static_cast<std::size_t>(i)]; };
  const auto given = [&](Eigen::Index i) { return std::log2(seen[static_cast<std::size_t>(i)].cores); };
  matrix spread = matrix::NullaryExpr(n, n, [&](auto i, auto j) { return covariance(asked(i), asked(j)); });
  if (m > 0) {
    const matrix cross = matrix::NullaryExpr(m, n, [&](auto i, auto j) { return covariance(given(i), asked(j)); });
    const matrix own = matrix::NullaryExpr(m, m, [&](auto i, auto j) { return covariance(given(i), given(j)); });
    const auto variance = [&](Eigen::Index i) { return seen[static_cast<std::size_t>(i)].variance; };
    const vector errors = vector::NullaryExpr(m, variance);
    const vector ratios =
        vector::NullaryExpr(m, [&](Eigen::Index i) { return seen[static_cast<std::size_t>(i)].log_ratio; });
    const matrix noisy = own + matrix(errors.asDiagonal());
    vector::Map(mean_.data(), n) = cross.transpose() * noisy.llt().solve(ratios);
    constexpr double known = 1e-8;
    matrix settled = own;
    for (Eigen::Index i = 0; i < m; ++i)
      settled(i, i) += seen[static_cast<std::size_t>(i)].cores == now ? known : errors(i);
    spread -= cross.transpose() * settled.llt().solve(cross);
  }
  constexpr double rounding = 1e-9;  // keeps it positive definite
  spread.diagonal().array() += rounding;
  const Eigen::LLT<matrix> factored(spread);
  if (factored.info() != Eigen::Success) return;
  const matrix root = factored.matrixL();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) root_[static_cast<std::size_t>(i * n + j)] = root(i, j);
}

double residual_belief::deviation(const residual& a, const residual& b) {
  const double apart = std::abs(std::log2(static_cast<double>(a.cores) / b.cores));
  return std::sqrt(a.variance + b.variance + known_slope * known_slope * apart * apart +
                   2 * roughness * roughness * (1 - std::exp(-apart)));
}

void residual_belief::expect_minimum(std::span<const residual> seen, const std::function<double(int)>& log_model) {
  constexpr double harm = 0.25;                                         // of the logarithm: less may be scatter
  constexpr double usual = 0.5, most = std::numbers::ln2, least = 0.1;  // gain of the logarithm in an octave
  const core_factors likely{octaves_, mean_};
  const auto log_time = [&](int p) { return log_model(p) + std::log(likely(p)); };
  std::vector<std::pair<int, double>> times;
  for (const residual& r : seen) times.emplace_back(r.cores, log_time(r.cores));
  std::ranges::sort(times);
  const auto best = std::ranges::min_element(times, {}, &std::pair<int, double>::second);
  const auto worse = std::find_if(best, times.end(), [&](const auto& t) { return t.second > best->second + harm; });
  if (worse == times.end() || worse->first - best->first < 2) return;
  const double from = std::log2(best->first), to = std::log2(worse->first);
  double gain = usual;
  if (best != times.begin()) {
    const auto& fewer = *std::prev(best);
    gain = std::clamp((fewer.second - best->second) / (from - std::log2(fewer.first)), least, most);
  }
  hoped_.assign(octaves_.size(), 0);
  for (std::size_t i = 0; i < octaves_.size(); ++i)
    if (octaves_[i] > from && octaves_[i] < to)
      hoped_[i] = std::min(0.0, best->second - gain / 2 * (octaves_[i] - from) -
                                    log_time(static_cast<int>(std::lround(std::exp2(octaves_[i])))));
}

core_factors residual_belief::sample(std::uint64_t seed, double sign) const {
  const std::size_t n = octaves_.size();
  core_factors out{octaves_, mean_};
  if (sign > 0)
    for (std::size_t i = 0; i < hoped_.size(); ++i) out.log_factor[i] += hoped_[i];
  for (std::size_t j = 0; j < n; ++j) {
    const double deviation = sign * normal(mix(seed, j));
    for (std::size_t i = j; i < n; ++i) out.log_factor[i] += root_[i * n + j] * deviation;
  }
  return out;
}

}  // namespace weir
