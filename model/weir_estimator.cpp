#include "model/weir_estimator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace weir {
namespace {

bool is_refit_due(std::uint64_t count) {
  const std::uint64_t interval = std::max<std::uint64_t>(std::bit_floor(count) / 8, 1);
  return count % interval == 0;
}

// First in a state: tells formats and estimators apart.
constexpr double state_format = 1;

}  // namespace

weir_estimator::weir_estimator(degree k) : sums_(k.value) { expected_.degree = fit_.law.degree = k.value; }

void weir_estimator::observe(const observation& seen) {
  if (!is_usable(seen)) return;
  const double guess = sums_.count() == 0 ? seen.seconds : expected_(seen.x, seen.cores);
  const double expected = std::clamp(guess, seen.seconds / 2, seen.seconds * 2);
  const double noise = rank_one_fit::timer_noise;
  sums_.add(seen.x, seen.cores, seen.seconds, 1 / (noise * noise + expected * expected));
  if (!is_refit_due(sums_.count())) return;
  fit_ = fit_rank_one(sums_);
  expected_ = fit_.law;
}

prediction weir_estimator::predict(double x, int cores) const {
  if (sums_.count() == 0) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return {.mean = unknown,
            .spread = unknown,
            .alpha = optimistic_alpha,
            .sequential = unknown,
            .confidence = 0,
            .extrapolates = true};
  }
  return fit_.observations == sums_.count() ? fit_.predict(x, cores) : fit().predict(x, cores);
}

description weir_estimator::describe() const {
  const rank_one_fit now = fit();
  description out{.estimator = "weir",
                  .alpha = now.law.alpha,
                  .alpha_known = now.alpha_known,
                  .coefficients = {},
                  .contention = 0,
                  .fork_join = 0,
                  .scatter = 0,
                  .observations = sums_.count(),
                  .smallest_cores = sums_.smallest_cores(),
                  .largest_cores = sums_.largest_cores(),
                  .smallest_x = sums_.smallest_x(),
                  .largest_x = sums_.largest_x(),
                  .words = {}};
  for (int i = 0; i <= now.law.degree; ++i) out.coefficients.push_back(now.law.coefficient(i));
  out.scatter = now.scatter;
  out.words = in_words(out);
  return out;
}

std::unique_ptr<estimator> weir_estimator::clone() const {
  auto copy = std::make_unique<weir_estimator>(*this);
  copy->fit_ = fit();
  return copy;
}

std::vector<double> weir_estimator::state() const {
  std::vector<double> out{state_format, static_cast<double>(expected_.exponent), expected_.alpha};
  out.insert(out.end(), expected_.c.begin(), expected_.c.begin() + expected_.degree + 1);
  const auto sums = sums_.numbers();
  out.insert(out.end(), sums.begin(), sums.end());
  return out;
}

bool weir_estimator::restore(const std::vector<double>& state) {
  const int columns = expected_.degree + 1;
  const std::size_t law_end = 3 + columns;
  if (state.size() < law_end || state[0] != state_format) return false;
  rank_one_law law{.degree = expected_.degree};
  law.alpha = state[2];
  std::copy_n(state.begin() + 3, columns, law.c.begin());
  const bool exponent_fits = std::abs(state[1]) <= 2000 && state[1] == std::floor(state[1]);
  const bool alpha_fits = law.alpha >= 0 && law.alpha <= 1;
  const auto coefficient_fits = [](double c) { return c >= 0 && std::isfinite(c); };
  if (!exponent_fits || !alpha_fits || !std::ranges::all_of(law.c, coefficient_fits)) return false;
  law.exponent = static_cast<int>(state[1]);
  if (!sums_.assign(std::span(state).subspan(law_end))) return false;
  expected_ = law;
  fit_ = fit_rank_one(sums_);
  return true;
}

}  // namespace weir
