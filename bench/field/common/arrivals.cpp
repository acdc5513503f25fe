#include "bench/field/common/arrivals.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "bench/support/bad_input.hpp"

namespace weir::field_bench {
namespace {

// The rate over its mean, at a part of the run in [0, 1].
double factor(const std::string& pattern, double part) {
  if (pattern == "constant") return 1;
  if (pattern == "wave") return 1 + 0.5 * std::sin(8 * std::numbers::pi * part);
  if (pattern == "spike") return part >= 0.45 && part < 0.55 ? 2.8 : 0.8;
  if (pattern == "binary") return static_cast<int>(8 * part) % 2 ? 1.5 : 0.5;
  if (pattern == "increasing") return 0.5 + part;
  if (pattern == "decreasing") return 1.5 - part;
  throw program::bad_input(fmt::format("pattern \"{}\" is none of {}", pattern, fmt::join(pattern_names(), ", ")));
}

}  // namespace

std::vector<std::string> pattern_names() { return {"constant", "wave", "spike", "binary", "increasing", "decreasing"}; }

std::vector<double> arrivals(const std::string& pattern, std::size_t count, double rate) {
  constexpr int steps = 20;  // of the integration, for each item
  const double seconds = static_cast<double>(count) / rate, step = 1.0 / (static_cast<double>(count) * steps);
  std::vector<double> times;
  double arrived = 0;
  for (std::size_t i = 0; times.size() < count; ++i) {
    const double part = (static_cast<double>(i) + 0.5) * step;
    arrived += factor(pattern, std::min(part, 1.0)) / steps;
    if (arrived >= static_cast<double>(times.size()) + 0.5) times.push_back(part * seconds);
  }
  return times;
}

}  // namespace weir::field_bench
