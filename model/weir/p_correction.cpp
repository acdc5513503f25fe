#include "model/weir/p_correction.hpp"

#include <algorithm>
#include <cmath>

#include "model/weir/law_moments.hpp"

namespace weir {
namespace {

// With fewer observations a slot says more about noise than about its p.
constexpr double fewest_at_p = 3;
// The law leaves one of three slots free, and some late invocations look like an error of it. So only an error counts
// that is as large as where cores hurt more than a law can say.
constexpr double fewest_slots = 3, enough_slots = 4, large_error = 0.25;
constexpr double largest_factor = 1e6;

}  // namespace

p_correction p_correction::of(const power_sums& sums, const component_law& law) {
  p_correction out;
  const int count = sums.slots();
  std::array<double, power_sums::default_capacity> own{};
  double between = 0, within = 0, mass = 0, squares = 0, slots = 0, all = 0, largest = 0;
  for (int i = 0; i < count; ++i) {
    const auto slot = sums.at(i);
    const auto [square, product] = times_of(slot, law);
    own[i] = square > 0 ? product / square : 1;
    within += std::max(slot.y - own[i] * product, 0.0);
    all += slot.mass;
    if (slot.mass < fewest_at_p) {
      own[i] = 1;
      continue;
    }
    largest = std::max(largest, std::abs(own[i] - 1));
    between += slot.mass * (own[i] - 1) * (own[i] - 1);
    mass += slot.mass;
    squares += slot.mass * slot.mass;
    ++slots;
  }
  const double spare = all - count;
  if (!(spare > 0) || slots < (largest > large_error ? fewest_slots : enough_slots)) return out;
  const double variance = within / spare;
  const double chance = slots - 2 + 2 * std::sqrt(2 * (slots - 2));
  const double signal = (between - chance * variance) / (mass - squares / mass);
  if (!(signal > 0)) return out;
  for (int i = 0; i < count; ++i) {
    const auto slot = sums.at(i);
    const double real = signal / (signal + variance / slot.mass);
    const auto inverse = static_cast<float>(slot.inverse_cores);
    if (out.count_ > 0 && inverse >= out.points_[out.count_ - 1].inverse_cores) continue;  // equal p to seven digits
    out.points_[out.count_++] = {inverse, static_cast<float>(std::clamp(1 + (own[i] - 1) * real, 0.0, largest_factor))};
  }
  return out;
}

double p_correction::factor(int cores) const {
  const float inverse = 1.0F / static_cast<float>(cores);
  const auto end = points_.begin() + count_;
  const auto next =
      std::partition_point(points_.begin(), end, [&](const point& p) { return p.inverse_cores > inverse; });
  if (next == end) return 1;
  if (next->inverse_cores == inverse) return next->factor;
  if (next == points_.begin()) return 1;
  const point &more = *next, &fewer = *(next - 1);
  return fewer.factor +
         (more.factor - fewer.factor) * (fewer.inverse_cores - inverse) / (fewer.inverse_cores - more.inverse_cores);
}

std::array<double, p_correction::size> p_correction::numbers() const {
  std::array<double, size> out{static_cast<double>(count_)};
  for (int i = 0; i < count_; ++i) out[1 + 2 * i] = points_[i].inverse_cores, out[2 + 2 * i] = points_[i].factor;
  return out;
}

bool p_correction::assign(std::span<const double, size> numbers) {
  if (!(numbers[0] >= 0 && numbers[0] <= power_sums::default_capacity) || numbers[0] != std::floor(numbers[0]))
    return false;
  p_correction next;
  next.count_ = static_cast<int>(numbers[0]);
  double above = 2;
  for (int i = 0; i < power_sums::default_capacity; ++i) {
    const double inverse_cores = numbers[1 + 2 * i], factor = numbers[2 + 2 * i];
    const bool used = i < next.count_;
    if (used ? !(inverse_cores >= 1e-10 && inverse_cores < above && factor >= 0 && factor <= largest_factor)
             : inverse_cores != 0 || factor != 0)
      return false;
    above = inverse_cores;
    next.points_[i] = {static_cast<float>(inverse_cores), static_cast<float>(factor)};
  }
  *this = next;
  return true;
}

}  // namespace weir
