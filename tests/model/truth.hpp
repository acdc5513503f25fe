#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/observation.hpp>

namespace weir::test {

// A component with a known cost: the extended Amdahl law, and optionally a price of further cores.
struct truth {
  double alpha = 0.9;
  std::vector<double> coefficients{1};  // Tseq(x) = sum_i coefficients[i] x^i, seconds
  double contention = 0;                // share of Tseq for each further core
  double fork_join = 0;                 // seconds for each further core

  double operator()(double x, int cores) const {
    double sum = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * x + *c;
    return sum * (alpha / cores + 1 - alpha + contention * (cores - 1)) + fork_join * (cores - 1);
  }
};

inline observation seen(double x, int cores, double seconds) {
  observation out;
  out.x = x;
  out.cores = cores;
  out.seconds = seconds;
  return out;
}

// The seeded randomness of one trial.
class chance {
 public:
  explicit chance(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
  int index(std::size_t size) { return std::uniform_int_distribution(0, static_cast<int>(size) - 1)(engine_); }
  double normal() { return std::normal_distribution<>()(engine_); }
  // Multiplicative noise of the given relative size, with median 1.
  double noise(double relative) { return std::exp(relative * normal()); }
  // Log-uniform whole numbers from 32 to 1024.
  double x() { return std::round(std::exp2(uniform(5, 10))); }
  int cores() { return 1 << index(6); }
  // A cubic cost whose terms have random shares at x = 1024, over three decades; alpha in [0.5, 1].
  truth cubic() {
    truth out{uniform(0.5, 1), {0, 0, 0, 0}};
    for (int i = 0; i <= 3; ++i) {
      const bool present = i == 3 || uniform(0, 1) < 0.6;
      const double share = std::pow(10, uniform(-3, 0));
      if (present) out.coefficients[i] = share * std::pow(1024, -i);
    }
    return out;
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

// An estimator's name in the form of a test's name.
struct as_test_name {
  template <typename Param>
  std::string operator()(const Param& param) const {
    std::string name = param.param;
    std::ranges::replace_if(
        name, [](char c) { return c == '-' || c == ':'; }, '_');
    return name;
  }
};

inline double relative_error(double predicted, double true_value) {
  return std::abs(predicted - true_value) / true_value;
}

}  // namespace weir::test
