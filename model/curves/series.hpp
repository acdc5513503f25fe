#pragma once

#include <array>
#include <span>

namespace weir {

// Weighted points (u, y) to draw a curve through, ascending in u, where u = x / 2^exponent lies in [0, 1]. Plain data
// of fixed size, made on the stack: fill it in ascending x with add(), then call finish() once.
//
// finish() scales by a power of two, which is exact, and makes one of points whose u differ by less than 1e-9: they
// cannot be told apart, and a slope between them would be anything. Of a finished series const calls may run
// concurrently.
class series {
 public:
  static constexpr int capacity = 256;
  // Curves are held beyond a million times the largest x seen: nothing is known there, and results stay finite.
  static constexpr double largest_scaled_x = 1e6;

  // REQUIRES: x >= 0, not less than any before; weight > 0; all finite; at most `capacity` times.
  void add(double x, double y, double weight);
  void finish();

  int size() const { return size_; }
  int exponent() const { return exponent_; }
  std::span<const double> u() const { return {u_.data(), static_cast<std::size_t>(size_)}; }
  std::span<const double> y() const { return {y_.data(), static_cast<std::size_t>(size_)}; }
  std::span<const double> weights() const { return {w_.data(), static_cast<std::size_t>(size_)}; }

  // u of an x, not negative and bounded.
  double scaled(double x) const;

  // The series without its point i.
  series without(int i) const;

 private:
  int size_ = 0;
  int exponent_ = 0;
  std::array<double, capacity> u_, y_, w_;
};

}  // namespace weir
