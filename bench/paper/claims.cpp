#include "bench/paper/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/support/quantile.hpp"

namespace weir::paper {
namespace {

constexpr double within = 10;  // percent

double large(const kernel_result& of) { return of.largest_x / 2; }
double small(const kernel_result& of) { return of.largest_x / 5; }
const char* yes(bool agrees) { return agrees ? "yes" : "no"; }

struct spread {
  double median = 0, p95 = 0, max = 0;
};

spread spread_of(const std::vector<double>& values) {
  return {program::quantile(values, 0.5), program::quantile(values, 0.95), program::quantile(values, 1)};
}

std::string pair(const spread& s) { return fmt::format("{:.3g} / {:.3g}", s.median, s.p95); }

template <typename Take>
std::vector<double> percents(const std::vector<misprediction>& errors, const Take& take) {
  std::vector<double> out;
  for (const misprediction& m : errors)
    if (take(m.x)) out.push_back(m.percent);
  return out;
}

std::string at_large_x(const std::vector<kernel_result>& results) {
  std::string text = fmt::format(
      "**Predictions are within {} % for large x.** Offline model against the passes held out, median of each point; "
      "agrees when all points with large x are within, nearly when nine in ten are.\n\n"
      "| kernel | small x: median / p95 % | large x: median / p95 % | within | worst | `weir`: large x | within | "
      "agrees "
      "|\n|---|---|---|---|---|---|---|---|\n",
      within);
  const auto counted = [](const std::vector<double>& all) {
    return std::count_if(all.begin(), all.end(), [](double e) { return e <= within; });
  };
  for (const kernel_result& r : results) {
    const auto is_large = [&](double x) { return x >= large(r); };
    const auto paper = percents(r.errors, is_large), ours = percents(r.our_errors, is_large);
    const auto few = percents(r.errors, [&](double x) { return x <= small(r); });
    const auto inside = counted(paper), of = static_cast<std::ptrdiff_t>(paper.size());
    const char* verdict = inside == of ? "yes" : 10 * inside >= 9 * of ? "nearly" : "no";
    text += fmt::format("| {} | {} | {} | {} of {} | {:.3g} % | {} | {} of {} | {} |\n", r.kernel, pair(spread_of(few)),
                        pair(spread_of(paper)), inside, paper.size(), spread_of(paper).max, pair(spread_of(ours)),
                        counted(ours), ours.size(), verdict);
  }
  return text;
}

std::string tighter(const std::vector<kernel_result>& results) {
  std::string text =
      "**Incremental is tighter than first-fit.** Each observation after the first pass, predicted before it is "
      "learnt: "
      "median / p95 %; agrees with a first-fit when neither is above its own.\n\n| kernel, x |";
  for (const char* name : way_names) text += fmt::format(" {} |", name);
  text += " agrees: first fit | small x |\n|---|---|---|---|---|---|---|\n";
  for (const kernel_result& r : results) {
    for (const bool all : {false, true}) {
      std::vector<spread> errors;
      for (std::size_t w = 0; w < ways; ++w)
        errors.push_back(spread_of(later_errors(r.rows, r.stream, static_cast<way>(w), all ? 0 : large(r))));
      const spread& incremental = errors[static_cast<std::size_t>(way::incremental)];
      text += fmt::format("| {}, {} |", r.kernel, all ? "all" : "large");
      for (const spread& e : errors) text += fmt::format(" {} |", pair(e));
      for (const way w : {way::first_fit, way::first_fit_small}) {
        const spread& first = errors[static_cast<std::size_t>(w)];
        text += fmt::format(" {} |", yes(incremental.median <= first.median && incremental.p95 <= first.p95));
      }
      text += '\n';
    }
  }
  return text;
}

std::string averaging(const std::vector<kernel_result>& results) {
  std::string text = fmt::format(
      "**Averaging alpha over all points fails, clamping first helps, the highest point works.** alpha, and the median "
      "misprediction on the most cores at large x; agrees when mean > clamped mean > highest, the mean is beyond {0} % "
      "and the highest within.\n\n"
      "| kernel | mean | clamped mean | highest | agrees |\n|---|---|---|---|---|\n",
      within);
  for (const kernel_result& r : results) {
    text += fmt::format("| {} |", r.kernel);
    std::vector<double> off;
    for (const auto& model : r.models) {
      std::vector<double> errors;
      for (const timed_row& p : r.checked)
        if (p.cores == r.most_cores && p.x >= large(r))
          errors.push_back(100 * std::abs(model->predict(p.x, p.cores).mean - p.seconds) / p.seconds);
      off.push_back(program::quantile(errors, 0.5));
      text += fmt::format(" {:.4f}: {:.3g} % |", model->describe().alpha, off.back());
    }
    text += fmt::format(" {} |\n", yes(off[0] > off[1] && off[1] > off[2] && off[0] > within && off[2] <= within));
  }
  return text;
}

std::string unreliable(const std::vector<kernel_result>& results) {
  constexpr double far = 0.1;
  std::string text = fmt::format(
      "**alpha of a point with small x is unreliable.** Smallest .. largest alpha by point, not clamped; agrees when "
      "one at small x is more than {0} off that of the highest point, and none at large x is. Where Tseq of the "
      "fit is 0 there is none.\n\n"
      "| kernel | small x | outside 0..1 | none | large x | highest | agrees |\n|---|---|---|---|---|---|---|\n",
      far);
  for (const kernel_result& r : results) {
    const double right = r.models[highest]->describe().alpha;
    std::vector<double> few, many;
    for (const point_alpha& p : r.alphas) {
      if (p.x <= small(r)) few.push_back(p.alpha);
      if (p.x >= large(r)) many.push_back(p.alpha);
    }
    const auto outside = std::count_if(few.begin(), few.end(), [](double a) { return a < 0 || a > 1; });
    const auto none = std::count_if(r.seen.begin(), r.seen.end(), [&](const timed_row& p) { return p.cores > 1; }) -
                      static_cast<std::ptrdiff_t>(r.alphas.size());
    const auto is_far = [&](double a) { return std::abs(a - right) > far; };
    const auto range = [](const std::vector<double>& v) {
      return fmt::format("{:.3g} .. {:.3g}", program::quantile(v, 0), program::quantile(v, 1));
    };
    const bool agrees = std::any_of(few.begin(), few.end(), is_far) && std::none_of(many.begin(), many.end(), is_far);
    text += fmt::format("| {} | {} | {} of {} | {} | {} | {:.4f} | {} |\n", r.kernel, range(few), outside, few.size(),
                        none, range(many), right, yes(agrees));
  }
  return text;
}

std::string off_the_polynomial(const std::vector<kernel_result>& results) {
  std::string text =
      "**Blocked kernels deviate from the polynomial where caches end.** |Tseq of the fit - measured| / measured above "
      "small x; agrees when the largest of a kernel is twice that of `naive`.\n\n"
      "| kernel | median | largest | at x | agrees |\n|---|---|---|---|---|\n";
  double naive = 0;
  for (const kernel_result& r : results) {
    std::vector<double> off;
    double worst = 0, at = 0;
    for (const timed_row& p : r.seen) {
      if (p.cores != 1 || p.x <= small(r)) continue;
      off.push_back(100 * std::abs(r.models[highest]->predict(p.x, 1).sequential - p.seconds) / p.seconds);
      if (off.back() > worst) worst = off.back(), at = p.x;
    }
    const bool is_naive = r.kernel == "naive";
    if (is_naive) naive = worst;
    text += fmt::format("| {} | {:.3g} % | {:.3g} % | {} | {} |\n", r.kernel, program::quantile(off, 0.5), worst, at,
                        is_naive ? "" : yes(worst > 2 * naive));
  }
  return text;
}

}  // namespace

std::string claims_of(const std::vector<kernel_result>& results) {
  return at_large_x(results) + '\n' + tighter(results) + '\n' + averaging(results) + '\n' + unreliable(results) + '\n' +
         off_the_polynomial(results);
}

}  // namespace weir::paper
