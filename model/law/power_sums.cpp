#include "model/law/power_sums.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "model/law/component_law.hpp"

namespace weir {
namespace {

// The exponent while every x was 0. It is below the exponent of every double, so the first positive x raises it.
constexpr int no_exponent = -1100;

constexpr int header_size = 7;
constexpr int range_size = 4;

bool is_integer(double value, double low, double high) {
  return value >= low && value <= high && value == std::floor(value);
}

constexpr double rounding = 1e-6;  // of many sums

// Whether no number is above the one before, but for rounding.
bool falls(std::span<const double> numbers) {
  return std::ranges::adjacent_find(numbers, [](double a, double b) { return b > a * (1 + rounding); }) ==
         numbers.end();
}

}  // namespace

power_sums::power_sums(int degree, int capacity, bool roots)
    : degree_(degree),
      capacity_(capacity),
      stride_((2 * degree + 1) + (degree + 1) + 1),
      roots_(roots),
      exponent_(no_exponent),
      ranges_(static_cast<std::size_t>(capacity)),
      sums_(static_cast<std::size_t>(capacity * stride_)) {}

power_sums::slot power_sums::at(int index) const {
  const double* first = sums_.data() + index * stride_;
  const int powers = 2 * degree_ + 1;
  return {ranges_[index].inverse_cores,
          ranges_[index].mass,
          {first, first + powers},
          {first + powers, first + stride_ - 1},
          first[stride_ - 1]};
}

void power_sums::add(double x, int cores, double seconds, double weight) {
  const double base = roots_ ? std::sqrt(x) : x;
  double u = times_power_of_two(base, -exponent_);
  if (u >= 1) {  // in [1/2, 1) at the largest x
    int exponent;
    std::frexp(base, &exponent);
    rescale(exponent);
    u = times_power_of_two(base, -exponent_);
  }
  smallest_x_ = mass_ == 0 ? x : std::min(smallest_x_, x);
  largest_x_ = mass_ == 0 ? x : std::max(largest_x_, x);
  ++count_;
  ++mass_;

  const int index = find_or_make(cores);
  const auto sums = row(index);
  range& at = ranges_[index];
  at.inverse_cores += (1.0 / cores - at.inverse_cores) * weight / (sums[0] + weight);
  ++at.mass;

  double power = weight;
  for (int m = 0; m <= degree_; ++m, power *= u) {
    sums[m] += power;
    sums[2 * degree_ + 1 + m] += power * seconds;
  }
  for (int m = degree_ + 1; m <= 2 * degree_; ++m, power *= u) sums[m] += power;
  sums[stride_ - 1] += weight * seconds * seconds;
}

void power_sums::scale_times(double factor) {
  for (int index = 0; index < used_; ++index) {
    const auto sums = row(index);
    for (int m = 0; m <= 2 * degree_; ++m) sums[m] /= factor * factor;
    for (int i = 0; i <= degree_; ++i) sums[2 * degree_ + 1 + i] /= factor;
  }
}

void power_sums::forget(double kept) {
  assert(0 < kept && kept <= 1);
  for (int index = 0; index < used_; ++index) {
    for (double& sum : row(index)) sum *= kept;
    ranges_[index].mass *= kept;
  }
  mass_ *= kept;
  constexpr double nothing = 1e-6;  // observations
  for (int index = used_ - 1; index >= 0 && used_ > 1; --index) {
    if (ranges_[index].mass >= nothing) continue;
    std::move(ranges_.begin() + index + 1, ranges_.begin() + used_, ranges_.begin() + index);
    std::move(sums_.begin() + (index + 1) * stride_, sums_.begin() + used_ * stride_, sums_.begin() + index * stride_);
    --used_;
  }
}

void power_sums::clear(int again) {
  assert(again >= 0 && static_cast<std::uint64_t>(again) <= count_);
  count_ -= static_cast<std::uint64_t>(again);
  used_ = 0;
  mass_ = 0;
  exponent_ = no_exponent;
}

int power_sums::position_of(int cores) const {
  const auto end = ranges_.begin() + used_;
  return static_cast<int>(
      std::lower_bound(ranges_.begin(), end, cores, [](const range& r, int p) { return r.largest < p; }) -
      ranges_.begin());
}

int power_sums::index_of(int cores) const {
  const int index = position_of(cores);
  return holds(index, cores) ? index : -1;
}

double power_sums::mass_at(int cores) const {
  const int index = index_of(cores);
  return index < 0 ? 0 : ranges_[index].mass;
}

int power_sums::find_or_make(int cores) {
  int index = position_of(cores);
  if (holds(index, cores)) return index;
  if (used_ == capacity_) {
    merge_closest();
    index = position_of(cores);
    if (holds(index, cores)) return index;  // p lay in the gap that the merge closed
  }
  std::move_backward(ranges_.begin() + index, ranges_.begin() + used_, ranges_.begin() + used_ + 1);
  std::move_backward(sums_.begin() + index * stride_, sums_.begin() + used_ * stride_,
                     sums_.begin() + (used_ + 1) * stride_);
  ++used_;
  ranges_[index] = {cores, cores, 1.0 / cores, 0};
  std::ranges::fill(row(index), 0.0);
  return index;
}

void power_sums::merge_closest() {
  int closest = 0;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i + 1 < used_; ++i) {
    const double ratio = ranges_[i].inverse_cores / ranges_[i + 1].inverse_cores;
    if (ratio < best) best = ratio, closest = i;
  }
  range& left = ranges_[closest];
  const range& right = ranges_[closest + 1];
  const auto into = row(closest), from = row(closest + 1);
  left.inverse_cores += (right.inverse_cores - left.inverse_cores) * from[0] / (into[0] + from[0]);
  left.largest = right.largest;
  left.mass += right.mass;
  for (int i = 0; i < stride_; ++i) into[i] += from[i];
  std::move(ranges_.begin() + closest + 2, ranges_.begin() + used_, ranges_.begin() + closest + 1);
  std::move(sums_.begin() + (closest + 2) * stride_, sums_.begin() + used_ * stride_,
            sums_.begin() + (closest + 1) * stride_);
  --used_;
}

void power_sums::rescale(int exponent) {
  const int shift = exponent_ - exponent;
  for (int index = 0; index < used_; ++index) {
    const auto sums = row(index);
    for (int m = 1; m <= 2 * degree_; ++m) sums[m] = std::ldexp(sums[m], shift * m);
    for (int i = 1; i <= degree_; ++i) sums[2 * degree_ + 1 + i] = std::ldexp(sums[2 * degree_ + 1 + i], shift * i);
  }
  exponent_ = exponent;
}

std::vector<double> power_sums::numbers() const {
  std::vector<double> out{static_cast<double>(degree_),
                          static_cast<double>(exponent_),
                          static_cast<double>(count_),
                          mass_,
                          smallest_x_,
                          largest_x_,
                          static_cast<double>(used_)};
  for (int index = 0; index < used_; ++index) {
    const range& r = ranges_[index];
    out.insert(out.end(), {static_cast<double>(r.smallest), static_cast<double>(r.largest), r.inverse_cores, r.mass});
    out.insert(out.end(), sums_.begin() + index * stride_, sums_.begin() + (index + 1) * stride_);
  }
  return out;
}

bool power_sums::assign(std::span<const double> numbers) {
  constexpr double most_cores = std::numeric_limits<int>::max();
  if (numbers.size() < header_size || !std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); }))
    return false;
  if (numbers[0] != degree_ || !is_integer(numbers[1], no_exponent, 1024) || !is_integer(numbers[2], 0, 0x1p53) ||
      numbers[3] < 0 || numbers[4] < 0 || numbers[5] < numbers[4] || !is_integer(numbers[6], 0, capacity_))
    return false;
  const int slots = static_cast<int>(numbers[6]);
  if (numbers.size() != static_cast<std::size_t>(header_size + slots * (range_size + stride_))) return false;
  if ((slots == 0) != (numbers[2] == 0) || (slots == 0) != (numbers[3] == 0)) return false;
  if (numbers[3] > numbers[2] * (1 + rounding)) return false;  // observations are forgotten, and none count twice

  power_sums next(degree_, capacity_, roots_);
  double previous = 0;
  for (int index = 0; index < slots; ++index) {
    const auto from = numbers.subspan(header_size + index * (range_size + stride_), range_size + stride_);
    const bool ordered = is_integer(from[0], previous + 1, most_cores) && is_integer(from[1], from[0], most_cores);
    if (!ordered || !(from[2] > 0 && from[2] <= 1) || !(from[3] > 0 && from[3] <= numbers[3] * (1 + rounding)))
      return false;
    const auto sums = from.subspan(range_size);
    if (!(sums[0] > 0) || std::ranges::any_of(sums, [](double v) { return v < 0; })) return false;
    const auto powers = sums.first(2 * static_cast<std::size_t>(degree_) + 1);  // of u, which is below 1
    if (!falls(powers) || !falls(sums.subspan(powers.size(), static_cast<std::size_t>(degree_) + 1))) return false;
    previous = from[1];
    next.ranges_[index] = {static_cast<int>(from[0]), static_cast<int>(from[1]), from[2], from[3]};
    std::ranges::copy(sums, next.row(index).begin());
  }
  next.used_ = slots;
  next.exponent_ = static_cast<int>(numbers[1]);
  next.count_ = static_cast<std::uint64_t>(numbers[2]);
  next.mass_ = numbers[3];
  next.smallest_x_ = numbers[4];
  next.largest_x_ = numbers[5];
  *this = std::move(next);
  return true;
}

}  // namespace weir
