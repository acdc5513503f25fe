#include "scheduler/steady_inputs.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

constexpr std::size_t fewest = 8;
constexpr double standard_errors = 4;
constexpr double alike = 1e-9;  // what counts as no difference, as a part of the mean

struct sums {
  double sum = 0, square = 0;
  sums operator+(const sums& other) const { return {sum + other.sum, square + other.square}; }
};

}  // namespace

std::size_t steady_inputs(std::span<const double> values) {
  if (values.size() < 2 * fewest) return values.size();
  const bool positive = std::ranges::all_of(values, [](double v) { return v > 0; });
  const double origin = values.back();  // so that squares of what hardly varies do not cancel
  const auto of = [&](double v) { return positive ? std::log(v / origin) : v - origin; };
  const auto add_up = [&](std::size_t from, std::size_t to) {
    sums out;
    for (std::size_t i = from; i < to; ++i) {
      const double v = of(values[i]);
      out.sum += v;
      out.square += v * v;
    }
    return out;
  };
  const double smallest = alike * (positive ? 1 : std::abs(origin));
  std::size_t count = fewest;
  sums last = add_up(values.size() - count, values.size());
  while (2 * count <= values.size()) {
    const sums before = add_up(values.size() - 2 * count, values.size() - count);
    const auto n = static_cast<double>(count);
    const auto variance = [&](const sums& s) { return std::max(0.0, s.square - s.sum * s.sum / n) / (n - 1); };
    const double error = std::sqrt((variance(last) + variance(before)) / n);
    if (std::abs(last.sum - before.sum) / n > standard_errors * error + smallest) return count;
    last = last + before;
    count *= 2;
  }
  return values.size();
}

}  // namespace weir
