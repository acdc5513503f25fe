#include "components/emulated.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

namespace components {
namespace {
constexpr double longest_sleep = 1e9;  // seconds: a clock may hold no more
}

double truth::sequential_seconds(double x) const {
  double result = 0;
  for (auto coefficient = coefficients.rbegin(); coefficient != coefficients.rend(); ++coefficient) {
    result = result * x + *coefficient;
  }
  return result;
}

double truth::seconds(double x, int cores) const {
  if (!(alpha >= 0 && alpha <= 1)) {
    throw std::invalid_argument("truth: alpha is " + std::to_string(alpha) + ", not in [0, 1]");
  }
  if (cores < 1) throw std::invalid_argument("truth: " + std::to_string(cores) + " cores; at least 1 is needed");
  const double sequential = sequential_seconds(x);
  const double result = alpha * sequential / cores + (1 - alpha) * sequential;
  if (!(std::isfinite(result) && result >= 0)) {
    throw std::invalid_argument("truth: T(" + std::to_string(x) + ", " + std::to_string(cores) + ") is " +
                                std::to_string(result) + " seconds");
  }
  return result;
}

void emulate(const truth& cost, double x, int cores) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const std::chrono::duration<double> length(cost.seconds(x, cores));
  if (length.count() > longest_sleep)
    throw std::invalid_argument("emulate: T is " + std::to_string(length.count()) +
                                " seconds; at most 1e9 can be slept");
  std::this_thread::sleep_until(start + std::chrono::ceil<clock::duration>(length));
}

}  // namespace components
