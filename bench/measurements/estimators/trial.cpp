#include "bench/measurements/estimators/trial.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace weir::bench {

using simulation::cost_truth;
using simulation::law_cost;

namespace {

constexpr double smallest_x = 50, largest_x = 2500, most_cores = 48;
constexpr double noise = 0.05;
constexpr int different_kinds = 20, sizes = 12;

double shape_of(question q, double x) {
  switch (q) {
    case question::power_1585:
      return std::pow(x, 1.585);
    case question::root:
      return std::sqrt(x);
    case question::x_log_x:
      return x * std::log2(x);
    case question::power_4:
      return x * x * x * x;
    case question::inverse:
      return 1 / x;
    default:
      return 1;
  }
}

// Questions about the mean of times that scatter for no reason that x gives.
bool is_about_means(question q) { return q >= question::log_normal && q <= question::hidden; }
bool has_kinds(question q) { return q == question::kinds || q == question::kinds_said; }
constexpr int few_kinds = 8, candidates = 5;
constexpr double least_size = 1e3, largest_size = 1e6;

}  // namespace

std::string to_string(question q) {
  constexpr std::array<const char*, questions> names{"amdahl",
                                                     "contention",
                                                     "fork-join",
                                                     "staircase",
                                                     "cache",
                                                     "outliers",
                                                     "even noise",
                                                     "level",
                                                     "phase",
                                                     "beyond, amdahl",
                                                     "beyond, fork-join",
                                                     "beyond, contention",
                                                     "twice, amdahl",
                                                     "twice, fork-join",
                                                     "twice, contention",
                                                     "x^1.585",
                                                     "sqrt x",
                                                     "x log x",
                                                     "x^4",
                                                     "1/x",
                                                     "serial share",
                                                     "step",
                                                     "kinds",
                                                     "repeats",
                                                     "log-normal",
                                                     "late tenth",
                                                     "hidden factor",
                                                     "product",
                                                     "sum",
                                                     "levels",
                                                     "kinds, said",
                                                     "candidates"};
  return names[static_cast<std::size_t>(q)];
}

trial::trial(question q, std::uint64_t seed) : question_(q), random_(seed * 64 + static_cast<std::uint64_t>(q)) {
  const bool is_cubic = q == question::levels || q == question::candidates;
  if (q == question::candidates) matters_ = std::uniform_int_distribution(0, candidates - 1)(random_);
  if (q == question::levels) {
    std::vector<double> levels(few_kinds);
    for (double& level : levels) level = log_uniform(0.3, 3);
    factor_ = [levels](double, double g) { return levels[static_cast<std::size_t>(g)]; };
  }
  if (q >= question::power_1585 && !is_cubic) {
    cost_ = draw_shape();
    return;
  }
  const law_cost first = draw();
  cost_ = first;
  if (q >= question::beyond_amdahl && !is_cubic) largest_x_ = largest_x / 2, largest_cores_ = most_cores / 2;
  if (q == question::level || q == question::phase) {
    before_ = 200;
    law_cost later = draw();
    if (q == question::level) {
      const double factor = log_uniform(0.25, 4);
      later = first;
      for (double& c : later.coefficients) c *= factor;
    }
    later_ = later;
  }
}

double trial::uniform(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
double trial::log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
int trial::log_whole(double low, double high) { return static_cast<int>(std::floor(log_uniform(low, high + 1))); }

law_cost trial::draw() {
  constexpr std::array alphas{0.5, 0.9, 0.99, 0.999};
  law_cost out;
  out.alpha = alphas[std::uniform_int_distribution<std::size_t>(0, alphas.size() - 1)(random_)];
  out.coefficients.assign(4, 0.0);
  double at_largest = 0;
  for (int i = 0; i <= 3; ++i) {
    const double share = std::pow(10, uniform(-3, 0));
    if (i < 3 && uniform(0, 1) > 0.6) continue;
    out.coefficients[i] = share * std::pow(largest_x, -i);
    at_largest += share;
  }
  const double scale = log_uniform(0.1, 10) / at_largest;
  for (double& c : out.coefficients) c *= scale;

  const double turning = log_uniform(12, 96);
  if (is(question::contention, question::beyond_contention, question::twice_contention))
    out.contention = out.alpha / (turning * turning);
  if (is(question::fork_join, question::beyond_fork_join, question::twice_fork_join))
    out.fork_join = out(1000, 1) * out.alpha / (turning * turning);
  if (question_ == question::staircase) out.pieces = log_whole(8, 64);
  if (question_ == question::cache)
    out.steps = {{log_uniform(200, 600), uniform(1.2, 1.6)}, {log_uniform(800, 2000), uniform(1.2, 1.6)}};
  return out;
}

cost_truth trial::draw_shape() {
  constexpr std::array alphas{0.5, 0.9, 0.99, 0.999};
  const double alpha = alphas[std::uniform_int_distribution<std::size_t>(0, alphas.size() - 1)(random_)];
  const auto share = [alpha](int p) { return alpha / p + 1 - alpha; };
  const double scale = log_uniform(0.1, 10);
  if (question_ == question::serial_share) {
    const double serial = std::floor(uniform(0, 3)), kept = std::max(alpha, 0.9);
    return [=](double x, int p) {
      const double u = x / largest_x;
      return scale * ((1 - kept) * std::pow(u, serial) + kept * u * u * u / p);
    };
  }
  if (question_ == question::step) {
    const double power = uniform(0, 1) < 0.5 ? 1 : 3, from = log_uniform(500, 2000);
    return [=](double x, int p) { return scale * std::pow(x / largest_x, power) * (x > from ? 3 : 1) * share(p); };
  }
  if (question_ == question::product) {
    const double a = uniform(0.5, 2), b = uniform(0.5, 2);
    factor_ = [=](double f, double g) { return std::pow(f / largest_x, a) * std::pow(g / largest_size, b); };
    return [=](double, int p) { return scale * share(p); };
  }
  if (question_ == question::sum) {
    const double a = uniform(0.5, 3), b = uniform(0.5, 3), part = uniform(0.2, 0.8);
    factor_ = [=](double f, double g) {
      return part * std::pow(f / largest_x, a) + (1 - part) * std::pow(g / largest_size, b);
    };
    return [=](double, int p) { return scale * share(p); };
  }
  if (has_kinds(question_)) {
    std::vector<double> levels(different_kinds + 1);
    for (double& level : levels) level = log_uniform(0.1, 10);
    return [=](double x, int p) { return levels[static_cast<std::size_t>(x)] * share(p); };
  }
  if (question_ == question::repeats) {
    std::vector<double> factors(2 * (sizes + 1));
    for (double& factor : factors) factor = std::exp(0.05 * std::normal_distribution<>()(random_));
    return [=](double x, int p) {
      return scale * std::pow(x / largest_x, 3) * share(p) *
             factors[static_cast<std::size_t>(2 * x * sizes / largest_x) + p - 1];
    };
  }
  return [=, q = question_](double x, int p) { return scale * shape_of(q, x) / shape_of(q, largest_x) * share(p); };
}

double trial::noisy(double seconds) {
  // Each has the mean 1.
  if (question_ == question::log_normal)
    return seconds * std::exp(0.8 * std::normal_distribution<>()(random_) - 0.8 * 0.8 / 2);
  if (question_ == question::late_tenth) seconds *= (uniform(0, 1) < 0.1 ? 20 : 1) / 2.9;
  if (question_ == question::hidden) seconds *= log_uniform(1, 25) / (24 / std::log(25.0));
  if (question_ == question::repeats) return seconds * std::exp(noise / 10 * std::normal_distribution<>()(random_));
  if (question_ == question::even_noise) {
    constexpr double even = 5e-3, least = 1e-6;
    constexpr int most_draws = 1000;  // if no draw gives a positive time, or it is NaN, the least time is used
    for (int draws = 0; draws < most_draws; ++draws)
      if (const double with = seconds + even * std::normal_distribution<>()(random_); with >= least) return with;
    return least;
  }
  return seconds * std::exp(noise * std::normal_distribution<>()(random_));
}

double trial::random_x(double low, double high) {
  if (is_about_means(question_)) return 1;
  if (has_kinds(question_)) return 1 + std::floor(uniform(0, different_kinds));
  if (question_ == question::repeats) return largest_x / sizes * (1 + std::floor(uniform(0, sizes)));
  return std::round(uniform(low, high));
}

int trial::random_cores(double low, double high) { return log_whole(low, question_ == question::repeats ? 2 : high); }

trial::seen trial::observe() {
  const cost_truth& now = observed_ < before_ || before_ == 0 ? cost_ : later_;
  ++observed_;
  const double x = random_x(smallest_x, largest_x_);
  const int p = random_cores(1, largest_cores_);
  seen out = sampled_jointly(now, x, p);
  out.seconds = noisy(out.seconds);
  if (question_ == question::outliers && uniform(0, 1) < 0.05) out.seconds *= 2 * std::pow(uniform(0, 1), -1 / 1.5);
  return out;
}

// With the other predictors, and the true time.
trial::seen trial::sampled_jointly(const cost_truth& by, double x, int p) {
  seen out{x, p, by(x, p), {}, x};
  if (question_ == question::candidates) {
    out.further = {1 + std::floor(uniform(0, 6)), std::floor(uniform(0, 1001)), static_cast<double>(observed_),
                   random_x(smallest_x, largest_x), std::round(log_uniform(least_size, largest_size))};
    out.further[static_cast<std::size_t>(matters_)] = x;
    out.x = 1;
  } else if (factor_) {
    const double g = question_ == question::levels ? std::floor(uniform(0, few_kinds))
                                                   : std::round(log_uniform(least_size, largest_size));
    out.further[0] = g;
    out.seconds *= factor_(x, g);
  }
  return out;
}

trial::seen trial::ask() {
  const cost_truth& now = before_ == 0 ? cost_ : later_;
  if (is(question::twice_amdahl, question::twice_fork_join, question::twice_contention))
    return sampled_jointly(now, largest_x, static_cast<int>(most_cores));
  const bool beyond = largest_x_ < largest_x;
  const double x = random_x(beyond ? largest_x_ + 1 : smallest_x, largest_x);
  const int p = random_cores(beyond ? largest_cores_ + 1 : 1, most_cores);
  return sampled_jointly(now, x, p);
}

}  // namespace weir::bench
