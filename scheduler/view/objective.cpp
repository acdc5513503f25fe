#include "scheduler/view/objective.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace weir {
namespace {

std::string in_digits(double rate) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", rate);
  return text;
}

}  // namespace

objective objective::latency_at(double rate) {
  if (!(rate > 0) || std::isinf(rate))
    throw std::invalid_argument("objective::latency_at: the rate is " + in_digits(rate) +
                                " records a second; it must be finite and more than 0");
  return objective(kind::latency, rate);
}

std::string objective::name() const {
  if (kind_ == kind::throughput) return "throughput";
  return rate_ > 0 ? "latency at " + in_digits(rate_) + "/s" : "latency";
}

}  // namespace weir
