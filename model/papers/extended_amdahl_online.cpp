#include "model/papers/extended_amdahl_online.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/law/parallel_share.hpp"
#include "model/papers/ordinary_fit.hpp"

namespace weir {
namespace {

constexpr double least_share = 1e-12;  // of the sequential time

}  // namespace

extended_amdahl_online::extended_amdahl_online(degree k)
    : paper_estimator("extended-amdahl-online", {3}), sums_(k.value, 1) {
  law_.degree = k.value;
}

coverage extended_amdahl_online::seen() const {
  return {sums_.count(), lowest_cores_, highest_cores_, sums_.smallest_x(), sums_.largest_x()};
}

void extended_amdahl_online::learn(const observation& seen) {
  lowest_cores_ = lowest_cores_ == 0 ? seen.cores : std::min(lowest_cores_, seen.cores);
  learn_alpha(seen);
  sums_.add(seen.x, 1, seen.seconds / std::max(law_.share(1.0 / seen.cores), least_share), 1);
  solve();
}

void extended_amdahl_online::learn_alpha(const observation& seen) {
  const bool is_new = seen.cores > highest_cores_ || (seen.cores == highest_cores_ && seen.x > highest_x_);
  const bool is_highest = is_new || (seen.cores == highest_cores_ && seen.x == highest_x_);
  if (!is_highest) return;
  highest_cores_ = seen.cores;
  highest_x_ = seen.x;
  if (is_new) averaged_ = 0;
  const double sequential = law_.sequential(seen.x);
  if (seen.cores == 1 || !(sequential > 0)) return;
  const double alpha = std::clamp(parallel_share(seen.seconds, sequential, seen.cores), 0.0, 1.0);
  averaged_ += 1;
  law_.alpha = averaged_ == 1 ? alpha : law_.alpha + (alpha - law_.alpha) / averaged_;
}

void extended_amdahl_online::solve() {
  const ordinary_fit fit = fit_ordinary(sums_.at(0));
  law_.c = fit.c;
  law_.exponent = sums_.exponent();
  residual_ = std::sqrt(fit.residual_square / std::max(static_cast<double>(sums_.count()) - law_.degree - 1, 1.0));
}

prediction extended_amdahl_online::predicted(double x, int cores) const {
  const double n = static_cast<double>(sums_.count());
  return {.mean = law_(x, cores),
          .spread = residual_ * law_.share(1.0 / cores),
          .alpha = law_.alpha,
          .sequential = law_.sequential(x),
          .confidence = n / (n + law_.degree + 1) * std::min(1.0, highest_cores_ / static_cast<double>(cores)),
          .extrapolates = !seen().holds(x, cores)};
}

description extended_amdahl_online::described(description out) const {
  out.alpha = law_.alpha;
  out.alpha_known = is_alpha_known();
  if (sums_.count() > 0) out.scatter = residual_ * sums_.at(0).s[0] / sums_.at(0).b[0];
  for (int i = 0; i <= law_.degree; ++i) out.coefficients.push_back(law_.coefficient(i));
  return out;
}

std::unique_ptr<estimator> extended_amdahl_online::clone() const {
  return std::make_unique<extended_amdahl_online>(*this);
}

std::vector<double> extended_amdahl_online::numbers() const {
  std::vector<double> out{law_.alpha, averaged_, static_cast<double>(lowest_cores_),
                          static_cast<double>(highest_cores_), highest_x_};
  const auto sums = sums_.numbers();
  out.insert(out.end(), sums.begin(), sums.end());
  return out;
}

bool extended_amdahl_online::assign(std::span<const double> numbers) {
  constexpr std::size_t header = 5;
  if (numbers.size() < header) return false;
  const double alpha = numbers[0], averaged = numbers[1], lowest = numbers[2], cores = numbers[3], x = numbers[4];
  const bool fits = alpha >= 0 && alpha <= 1 && averaged >= 0 && averaged <= 0x1p53 && lowest >= 0 && lowest <= cores &&
                    cores <= std::numeric_limits<int>::max() && lowest == std::floor(lowest) &&
                    cores == std::floor(cores) && x >= 0 && std::isfinite(x);
  if (!fits || !sums_.assign(numbers.subspan(header))) return false;
  if (sums_.count() > 0) {  // of observations that each have the weight 1, as in learn()
    constexpr double longest = longest_usable / least_share;
    const auto all = sums_.at(0);
    const double n = static_cast<double>(sums_.count()), most = n * longest * 2;
    if (all.s[0] != n || all.b[0] > most || all.y > most * longest) return false;
  }
  law_.alpha = alpha;
  averaged_ = averaged;
  lowest_cores_ = static_cast<int>(lowest);
  highest_cores_ = static_cast<int>(cores);
  highest_x_ = x;
  law_.c = {};
  residual_ = 0;
  if (sums_.count() > 0) solve();
  return true;
}

}  // namespace weir
