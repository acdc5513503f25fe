#include "model/papers/extended_amdahl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/curves/straight_polynomial.hpp"
#include "model/law/parallel_share.hpp"

namespace weir {
std::span<const word_option> extended_amdahl::options() {
  static const auto* const all =  // never destroyed: models may be made during static destruction
      new std::array<word_option, 1>{word_option{"highest", "mean", "clamped-mean"}};
  return *all;
}

extended_amdahl::extended_amdahl(std::string_view name, degree k)
    : paper_estimator(102, name, options(), k), how_(static_cast<aggregation>(word(0))) {
  fit_.law.degree = k.value;
}

void extended_amdahl::learn(const observation& seen) { table_.add(seen); }

void extended_amdahl::fit_sequential(component_law& law) const {
  const auto base = table_.at(table_.seen().smallest_cores);
  const double share = component_law{}.share(1.0 / base.front().cores);
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
  const scatter about = table_.scatter_about(out.law, out.law.degree + 2);
  out.seen = about.seen();
  out.expected = about.expected();
  return out;
}

prediction extended_amdahl::predicted(double x, int cores) const {
  const fitted now = fit();
  const double mean = now.law(x, cores);
  return {.mean = mean,
          .spread = now.expected * mean,
          .alpha = now.law.alpha,
          .sequential = now.law.sequential(x),
          .confidence = table_.seen().confidence(x, cores, now.law.degree + 2),
          .extrapolates = !table_.seen().holds(x, cores)};
}

description extended_amdahl::described(description out) const {
  const fitted now = fit();
  out.alpha = now.law.alpha;
  out.alpha_known = now.alpha_known;
  out.scatter = now.seen;
  for (int i = 0; i <= now.law.degree; ++i) out.coefficients.push_back(now.law.coefficient(i));
  return out;
}

std::unique_ptr<estimator> extended_amdahl::clone() const {
  auto copy = std::make_unique<extended_amdahl>(*this);
  copy->fit_ = fit();
  return copy;
}

bool extended_amdahl::assign(std::span<const double> numbers) {
  if (!table_.assign(numbers)) return false;
  fit_ = {.law = {.degree = fit_.law.degree}};
  fit_ = fit();
  return true;
}

}  // namespace weir
