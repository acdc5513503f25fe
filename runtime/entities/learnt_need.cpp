#include "runtime/entities/learnt_need.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace weir::detail {

double learnt_need::line::at(double x) const { return std::max(at_0 + slope * x, least); }

void learnt_need::note(double x, std::int64_t used) noexcept {
  if (!std::isfinite(x) || used < 0) return;
  const lock_guard lock(mutex_);
  last_[noted_++ % kept] = {x, static_cast<double>(used)};
  fit();
}

void learnt_need::fit() {
  const std::span<const use> uses(last_.data(), std::min(noted_, kept));
  const auto n = static_cast<double>(uses.size());
  double x = 0, amount = 0, least = uses[0].amount;
  for (const use& u : uses) {
    x += u.x / n;
    amount += u.amount / n;
    least = std::min(least, u.amount);
  }
  double xx = 0, x_amount = 0;
  for (const use& u : uses) {
    xx += (u.x - x) * (u.x - x);
    x_amount += (u.x - x) * (u.amount - amount);
  }
  const double slope = xx > 0 ? std::max(0.0, x_amount / xx) : 0;
  line_ = {amount - slope * x, slope, least};
  over_line_ = 1;
  std::array<double, kept> ratios;
  std::size_t count = 0;
  for (const use& u : uses)
    if (const double expected = line_.at(u.x); expected > 0) ratios[count++] = u.amount / expected;
  if (count == 0) return;  // all are 0
  const auto at = ratios.begin() + static_cast<std::ptrdiff_t>(quantile * static_cast<double>(count));
  std::nth_element(ratios.begin(), at, ratios.begin() + static_cast<std::ptrdiff_t>(count));
  over_line_ = std::max(1.0, *at);
}

std::optional<double> learnt_need::bound_at(double x) const noexcept {
  const lock_guard lock(mutex_);
  if (noted_ < enough || !std::isfinite(x)) return std::nullopt;
  return line_.at(x) * over_line_ * safety;
}

}  // namespace weir::detail
