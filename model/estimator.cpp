#include <weir/model/estimator.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "model/number_text.hpp"

namespace weir {

namespace {

void write_curve(std::ostringstream& out, const std::vector<double>& coefficients, const std::vector<double>& powers) {
  bool first = true;
  for (int i = static_cast<int>(coefficients.size()) - 1; i >= 0; --i) {
    const double c = coefficients[i], power = powers.empty() ? i : powers[i];
    if (c == 0) continue;
    out << (first ? (c < 0 ? " -" : " ") : (c < 0 ? " - " : " + ")) << std::abs(c);
    if (power > 0) out << " x";
    if (power > 0 && power != 1) out << '^' << power;
    first = false;
  }
  if (first) out << " 0";
}

// The value that a standard normal variable stays below with this probability, by bisection of the error function.
double normal_quantile(double part) {
  double low = -40, high = 40;
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < part ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::string in_words(const description& learnt) {
  if (learnt.observations == 0) return "nothing observed yet";
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(3);
  out << "Tseq(x) =";
  write_curve(out, learnt.coefficients, learnt.powers);
  if (!learnt.serial.empty()) {
    out << ", serial part";
    write_curve(out, learnt.serial, learnt.powers);
  }
  out << ", alpha " << learnt.alpha << (learnt.alpha_known ? " (known)" : " (assumed)");
  if (learnt.contention > 0) out << ", contention " << learnt.contention << " a core";
  if (learnt.fork_join > 0) out << ", fork-join " << learnt.fork_join << " s a core";
  out << ", " << learnt.observations << (learnt.observations == 1 ? " observation" : " observations");
  out.precision(2);
  if (100 * learnt.scatter >= 0.01) out << ", scatter " << 100 * learnt.scatter << " %";
  if (learnt.p99 >= 3) out << ", p99 " << learnt.p99 << " times the law";
  if (!learnt.use_names.empty()) {
    out.precision(3);
    out << ", x of";
    const char* between = " ";
    for (const std::string& name : learnt.use_names) out << std::exchange(between, ", ") << name;
    out << " explains " << std::round(100 * learnt.explained) << " % of the spread";
  }
  return out.str();
}

time_moments estimator::moments(std::span<const typical_input> inputs, int cores) const {
  time_moments sum;
  for (const auto& [x, weight] : inputs) {
    const prediction one = predict(x, cores);
    const double seconds = std::max(one.mean, shortest_time);
    const double spread = std::isfinite(one.spread) ? one.spread : 0;
    sum.mean += weight * seconds;
    sum.square += weight * (seconds * seconds + spread * spread);
  }
  return sum;
}

double estimator::quantile(double part, double x, int cores) const {
  if (!(part > 0 && part < 1))
    throw std::invalid_argument("estimator::quantile: part is " + in_digits(part) + "; it must be in (0, 1)");
  const double seconds = quantile_of(part, x, cores);
  return std::isnan(seconds) ? std::numeric_limits<double>::infinity() : seconds;
}

double estimator::quantile_of(double part, double x, int cores) const {
  const prediction one = predict(x, cores);
  if (!(one.mean > 0) || !(one.spread > 0)) return one.mean;
  const double variation = one.spread / one.mean, variance = std::log1p(variation * variation);
  return one.mean * std::exp(std::sqrt(variance) * normal_quantile(part) - variance / 2);
}

double estimator::mean_of(const input_sums&, int) const { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace weir
