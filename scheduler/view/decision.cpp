#include "scheduler/view/decision.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace weir {
namespace {

template <class... Values>
std::string printed(const char* pattern, Values... values) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string cores_words(const decision& d, double p99) {
  const int more = d.to.cores_used() - d.from.cores_used();
  std::string text = more == 0 ? "as many cores"
                               : printed("%d %s %s", std::abs(more), std::abs(more) == 1 ? "core" : "cores",
                                         more < 0 ? "fewer" : "more");
  if (std::isnan(p99)) return text;
  if (std::isinf(p99)) return text + printed(", too slow for %g records a second", d.goal.rate());
  if (std::isinf(d.goal.p99())) return text;
  if (p99 <= d.goal.p99()) return text + printed(", p99 within %.4g ms", d.goal.p99() * 1e3);
  return text + printed(", p99 %.3g ms instead of %.4g ms", p99 * 1e3, d.goal.p99() * 1e3);
}

// Nothing is said of a gain that is unknown, or that is the ratio to no cost.
std::string gain_words(const decision& d, double gain, double p99) {
  if (d.from.components.empty() || !std::isfinite(gain) || gain <= -1) return "";
  if (d.goal.is_fewest_cores()) return cores_words(d, p99);
  return d.goal.is_latency() ? printed("%.3g of the latency", 1 / (1 + gain))
                             : printed("%.2f times the records a second", 1 + gain);
}

}  // namespace

std::string predicted_words(const decision& d) {
  return d.predicted_gain == 0 ? "" : gain_words(d, d.predicted_gain, d.predicted_p99);
}

std::string realised_words(const decision& d) {
  return d.realised_gain ? gain_words(d, *d.realised_gain, d.realised_p99) : "";
}

double mean_cores(const std::vector<decision>& decisions, double end) {
  if (decisions.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double begin = decisions.front().time;
  if (!(end > begin)) return decisions.front().to.cores_used();
  double sum = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const double until = i + 1 < decisions.size() ? std::min(decisions[i + 1].time, end) : end;
    sum += decisions[i].to.cores_used() * std::max(0.0, until - decisions[i].time);
  }
  return sum / (end - begin);
}

}  // namespace weir
