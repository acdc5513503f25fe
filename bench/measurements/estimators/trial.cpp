#include "bench/measurements/estimators/trial.hpp"

#include <array>
#include <cmath>

namespace weir::bench {

using simulation::law_cost;

namespace {

constexpr double smallest_x = 50, largest_x = 2500, most_cores = 48;
constexpr double noise = 0.05;

}  // namespace

std::string to_string(question q) {
  constexpr std::array<const char*, questions> names{
      "amdahl",        "contention",       "fork-join",         "staircase",
      "cache",         "outliers",         "even noise",        "level",
      "phase",         "beyond, amdahl",   "beyond, fork-join", "beyond, contention",
      "twice, amdahl", "twice, fork-join", "twice, contention"};
  return names[static_cast<std::size_t>(q)];
}

trial::trial(question q, std::uint64_t seed) : question_(q), random_(seed * 64 + static_cast<std::uint64_t>(q)) {
  cost_ = draw();
  if (q >= question::beyond_amdahl) largest_x_ = largest_x / 2, largest_cores_ = most_cores / 2;
  if (q == question::level || q == question::phase) {
    before_ = 200;
    later_ = draw();
    if (q == question::level) {
      const double factor = log_uniform(0.25, 4);
      later_ = cost_;
      for (double& c : later_.coefficients) c *= factor;
    }
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

double trial::noisy(double seconds) {
  if (question_ == question::even_noise) {
    constexpr double even = 5e-3, least = 1e-6;
    constexpr int most_draws = 1000;  // if no draw gives a positive time, or it is NaN, the least time is used
    for (int draws = 0; draws < most_draws; ++draws)
      if (const double with = seconds + even * std::normal_distribution<>()(random_); with >= least) return with;
    return least;
  }
  return seconds * std::exp(noise * std::normal_distribution<>()(random_));
}

trial::seen trial::observe() {
  const law_cost& now = observed_ < before_ || before_ == 0 ? cost_ : later_;
  ++observed_;
  const double x = std::round(uniform(smallest_x, largest_x_));
  const int p = log_whole(1, largest_cores_);
  double seconds = noisy(now(x, p));
  if (question_ == question::outliers && uniform(0, 1) < 0.05) seconds *= 2 * std::pow(uniform(0, 1), -1 / 1.5);
  return {x, p, seconds};
}

trial::seen trial::ask() {
  const law_cost& now = before_ == 0 ? cost_ : later_;
  if (is(question::twice_amdahl, question::twice_fork_join, question::twice_contention))
    return {largest_x, static_cast<int>(most_cores), now(largest_x, static_cast<int>(most_cores))};
  const bool beyond = largest_x_ < largest_x;
  const double x = std::round(uniform(beyond ? largest_x_ + 1 : smallest_x, largest_x));
  const int p = log_whole(beyond ? largest_cores_ + 1 : 1, most_cores);
  return {x, p, now(x, p)};
}

}  // namespace weir::bench
