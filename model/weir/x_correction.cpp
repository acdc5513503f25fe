#include "model/weir/x_correction.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

constexpr float longest = 32;

struct place {
  int below;     // half octave of the knot below
  double above;  // fraction of the way to the next knot, 0..1
};

// REQUIRES: x > 0 and finite.
place place_of(double x) {
  constexpr double root = 0.70710678118654752;
  int exponent;
  const double part = std::frexp(x, &exponent);  // in [1/2, 1)
  if (part < root) return {2 * exponent, (part - 0.5) / (root - 0.5)};
  return {2 * exponent + 1, (part - root) / (1 - root)};
}

}  // namespace

double x_correction::shrunk(int half_octave) const {
  if (!has(half_octave)) return 0;
  const knot& k = all_[index(half_octave)];
  return k.mass > 0 ? k.mean * signal_ / (signal_ + variance_ / k.mass) : 0;
}

double x_correction::factor(double x) const {
  if (!(x > 0) || !std::isfinite(x)) return 1;
  const place at = place_of(x);
  const double log_factor = shrunk(at.below) * (1 - at.above) + shrunk(at.below + 1) * at.above;
  return std::exp(std::clamp(log_factor, -20.0, 20.0));
}

void x_correction::add(double x, double residual, double weight) {
  if (!(x > 0)) return;
  const place at = place_of(x);
  if (at.below + 1 > highest_) {
    for (int h = std::max(highest_, at.below + 1 - knots) + 1; h <= at.below + 1; ++h) all_[index(h)] = {};
    highest_ = at.below + 1;
  }
  if (!has(at.below)) return;
  knot &low = all_[index(at.below)], &high = all_[index(at.below + 1)];
  const auto above = static_cast<float>(at.above * weight), below = static_cast<float>((1 - at.above) * weight);
  const auto rest = static_cast<float>(residual - (1 - at.above) * low.mean - at.above * high.mean);
  low.mass = std::min(low.mass + below, longest);
  high.mass = std::min(high.mass + above, longest);
  if (low.mass > 0) low.mean += below * rest / low.mass;
  if (high.mass > 0) high.mean += above * rest / high.mass;
}

void x_correction::rebase(const component_law& from, const component_law& to, double inverse_cores) {
  constexpr double root = 0.70710678118654752;
  for (int h = highest_; h > highest_ - knots; --h) {
    knot& k = all_[index(h)];
    if (k.mass == 0) continue;
    const double x = std::ldexp(h % 2 == 0 ? 0.5 : root, h >> 1);
    const double was = from.at(x, inverse_cores), is = to.at(x, inverse_cores);
    if (was > 0 && is > 0) k.mean += static_cast<float>(std::log(was / is));
  }
}

void x_correction::estimate(double deviation) {
  variance_ = static_cast<float>(deviation * deviation);
  float between = 0, mass = 0, count = 0;
  for (int h = highest_; h > highest_ - knots; --h) {
    const knot& k = all_[index(h)];
    between += k.mass * k.mean * k.mean;
    mass += k.mass;
    count += k.mass > 0;
  }
  const float chance = count + 4 * std::sqrt(2 * count);
  signal_ = mass > 0 ? std::max(0.0F, (between - chance * variance_) / mass) : 0;
}

std::array<double, x_correction::size> x_correction::numbers() const {
  std::array<double, size> out{static_cast<double>(highest_), variance_, signal_};
  for (int i = 0; i < knots; ++i) out[3 + 2 * i] = all_[i].mean, out[4 + 2 * i] = all_[i].mass;
  return out;
}

bool x_correction::assign(std::span<const double, size> numbers) {
  constexpr double furthest = 1e4;
  const auto within = [](double v, double low, double high) { return v >= low && v <= high; };
  if (!within(numbers[0], -furthest, furthest) || numbers[0] != std::floor(numbers[0])) return false;
  for (const double square : {numbers[1], numbers[2]})
    if (!within(square, 0, furthest * furthest)) return false;
  for (int i = 0; i < knots; ++i)
    if (!within(numbers[3 + 2 * i], -furthest, furthest) || !within(numbers[4 + 2 * i], 0, longest)) return false;
  highest_ = static_cast<int>(numbers[0]);
  variance_ = static_cast<float>(numbers[1]);
  signal_ = static_cast<float>(numbers[2]);
  for (int i = 0; i < knots; ++i)
    all_[i] = {static_cast<float>(numbers[3 + 2 * i]), static_cast<float>(numbers[4 + 2 * i])};
  return true;
}

}  // namespace weir
