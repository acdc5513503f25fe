#include "model/papers/extended_amdahl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/curves/straight_polynomial.hpp"
#include "model/law/parallel_share.hpp"
#include "model/law/scatter.hpp"
#include "model/papers/described.hpp"

namespace weir {
namespace {

// The first number of a state; it tells formats and estimators apart.
constexpr double extended_format = 102;

}  // namespace

std::span<const word_option> extended_amdahl::options() {
  static const auto* const all =  // never destroyed: models may be made during static destruction
      new std::array<word_option, 1>{word_option{"highest", "mean", "clamped-mean"}};
  return *all;
}

extended_amdahl::extended_amdahl(std::string_view name, degree k) {
  const auto chosen = read_words(name, options());
  how_ = static_cast<aggregation>(chosen[0]);
  name_ = canonical_name(plain, options(), chosen);
  fit_.law.degree = k.value;
}

void extended_amdahl::observe(const observation& seen) {
  if (is_usable(seen)) table_.add(seen);
}

void extended_amdahl::fit_sequential(rank_one_law& law) const {
  const auto base = table_.at(table_.seen().smallest_cores);
  const double share = rank_one_law{}.share(1.0 / base.front().cores);
  series points;
  for (const auto& one : base) points.add(one.x, one.seconds / share, one.count);
  points.finish();
  law.c = fit_straight_polynomial(points, law.degree).c;
  law.exponent = points.exponent();
}

void extended_amdahl::fit_alpha(fitted& out) const {
  const coverage& seen = table_.seen();
  if (seen.largest_cores == seen.smallest_cores) return;
  double sum = 0, count = 0;
  const auto points = table_.points();
  for (auto one = points.rbegin(); one != points.rend() && one->cores > seen.smallest_cores; ++one) {
    const double sequential = out.law.sequential(one->x);
    if (!(sequential > 0)) continue;
    const double alpha = parallel_share(one->seconds, sequential, one->cores);
    sum += one->count * (how_ == aggregation::clamped_mean ? std::clamp(alpha, 0.0, 1.0) : alpha);
    count += one->count;
    if (how_ == aggregation::highest) break;
  }
  if (count == 0) return;
  out.law.alpha = std::clamp(sum / count, 0.0, 1.0);
  out.alpha_known = seen.smallest_cores == 1;
}

extended_amdahl::fitted extended_amdahl::fit() const {
  const std::uint64_t observations = table_.seen().observations;
  if (fit_.observations == observations) return fit_;
  fitted out{.law = {.degree = fit_.law.degree}, .observations = observations};
  fit_sequential(out.law);
  fit_alpha(out);
  scatter about{
      .square = table_.within(), .observations = static_cast<double>(observations), .parameters = out.law.degree + 2.0};
  for (const auto& one : table_.points()) {
    const double off = scatter::deviation(one.seconds, out.law(one.x, one.cores));
    about.square += one.count * off * off;
  }
  out.seen = about.seen();
  out.expected = about.expected();
  return out;
}

prediction extended_amdahl::predict(double x, int cores) const {
  const coverage& seen = table_.seen();
  if (seen.observations == 0) return nothing_known();
  x = usable_x(x);
  cores = std::max(cores, 1);
  const fitted now = fit();
  const double mean = now.law(x, cores);
  return {.mean = mean,
          .spread = now.expected * mean,
          .alpha = now.law.alpha,
          .sequential = now.law.sequential(x),
          .confidence = seen.confidence(x, cores, now.law.degree + 2),
          .extrapolates = !seen.holds(x, cores)};
}

description extended_amdahl::describe() const {
  const fitted now = fit();
  description out = described(name_, table_.seen());
  out.alpha = now.law.alpha;
  out.alpha_known = now.alpha_known;
  out.scatter = now.seen;
  for (int i = 0; i <= now.law.degree; ++i) out.coefficients.push_back(now.law.coefficient(i));
  out.words = in_words(out);
  return out;
}

std::unique_ptr<estimator> extended_amdahl::clone() const {
  auto copy = std::make_unique<extended_amdahl>(*this);
  copy->fit_ = fit();
  return copy;
}

std::vector<double> extended_amdahl::state() const {
  std::vector<double> out{extended_format, static_cast<double>(how_), static_cast<double>(fit_.law.degree)};
  const auto points = table_.numbers();
  out.insert(out.end(), points.begin(), points.end());
  return out;
}

bool extended_amdahl::restore(const std::vector<double>& state) {
  if (state.size() != 3 + point_table::size || state[0] != extended_format || state[1] != static_cast<double>(how_) ||
      state[2] != fit_.law.degree || !table_.assign(std::span(state).subspan(3)))
    return false;
  fit_ = {.law = {.degree = fit_.law.degree}};
  fit_ = fit();
  return true;
}

}  // namespace weir
