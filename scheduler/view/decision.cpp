#include <weir/scheduler/view/decision.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "model/number_text.hpp"

namespace weir {
namespace {

std::string cores_words(const decision& d, double p99) {
  const int more = d.to.cores_used() - d.from.cores_used();
  std::string text = more == 0 ? "as many cores"
                               : std::to_string(std::abs(more)) + (std::abs(more) == 1 ? " core" : " cores") +
                                     (more < 0 ? " fewer" : " more");
  if (std::isnan(p99)) return text;
  if (std::isinf(p99)) return text + ", too slow for " + in_digits(d.goal.rate()) + " records a second";
  if (std::isinf(d.goal.p99())) return text;
  if (p99 <= d.goal.p99()) return text + ", p99 within " + in_digits(d.goal.p99() * 1e3, 4) + " ms";
  return text + ", p99 " + in_digits(p99 * 1e3, 3) + " ms instead of " + in_digits(d.goal.p99() * 1e3, 4) + " ms";
}

// Nothing is said of a gain that is unknown, or that is the ratio to no cost.
std::string gain_words(const decision& d, double gain, double p99) {
  if (d.from.components.empty() || !std::isfinite(gain) || gain <= -1) return "";
  if (d.goal.is_fewest_cores()) return cores_words(d, p99);
  return d.goal.is_latency() ? in_digits(1 / (1 + gain), 3) + " of the latency"
                             : in_places(1 + gain, 2) + " times the records a second";
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
