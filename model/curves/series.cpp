#include "model/curves/series.hpp"

#include <algorithm>
#include <cmath>

namespace weir {

void series::add(double x, double y, double weight) {
  u_[size_] = x;
  y_[size_] = y;
  w_[size_++] = weight;
}

void series::finish() {
  constexpr double indistinguishable = 1e-9;
  if (size_ == 0) return;
  if (u_[size_ - 1] > 0) std::frexp(u_[size_ - 1], &exponent_);
  int last = 0;
  u_[0] = std::ldexp(u_[0], -exponent_);
  for (int i = 1; i < size_; ++i) {
    const double u = std::ldexp(u_[i], -exponent_);
    if (u - u_[last] < indistinguishable) {
      w_[last] += w_[i];
      u_[last] += (u - u_[last]) * (w_[i] / w_[last]);
      y_[last] += (y_[i] - y_[last]) * (w_[i] / w_[last]);
    } else {
      ++last;
      u_[last] = u;
      y_[last] = y_[i];
      w_[last] = w_[i];
    }
  }
  size_ = last + 1;
}

double series::scaled(double x) const { return x > 0 ? std::min(std::ldexp(x, -exponent_), largest_scaled_x) : 0.0; }

series series::without(int i) const {
  series out = *this;
  const auto drop = [&](auto& values) {
    std::move(values.begin() + i + 1, values.begin() + size_, values.begin() + i);
  };
  drop(out.u_);
  drop(out.y_);
  drop(out.w_);
  --out.size_;
  return out;
}

}  // namespace weir
