#pragma once

#include <array>
#include <span>

namespace weir {

// Weighted points (u, y) to draw a curve through, ascending in u, where u = x / 2^exponent lies in [0, 1]. Plain data
// of fixed size, meant for the stack. Fill it in ascending x with add(), then call finish() once.
//
// finish() scales by a power of two, which is exact. It merges points whose u differ by less than 1e-9, because a slope
// between them would be arbitrary. Const calls on a finished series may run concurrently.
class series {
 public:
  static constexpr int capacity = 256;
  // Beyond a million times the largest x a curve stays constant: nothing is known there, and results stay finite.
  static constexpr double largest_scaled_x = 1e6;

  // REQUIRES: x >= 0 and no less than in the call before; weight > 0; all finite; at most `capacity` calls.
  void add(double x, double y, double weight);
  void finish();

  int size() const { return size_; }
  int exponent() const { return exponent_; }
  std::span<const double> u() const { return {u_.data(), static_cast<std::size_t>(size_)}; }
  std::span<const double> y() const { return {y_.data(), static_cast<std::size_t>(size_)}; }
  std::span<const double> weights() const { return {w_.data(), static_cast<std::size_t>(size_)}; }

  // The u of an x, clamped to [0, largest_scaled_x].
  double scaled(double x) const;

  // The series without its point i.
  series without(int i) const;

 private:
  int size_ = 0;
  int exponent_ = 0;
  std::array<double, capacity> u_, y_, w_;
};

}  // namespace weir
