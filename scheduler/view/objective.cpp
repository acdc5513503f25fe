#include <weir/scheduler/view/objective.hpp>

#include <cmath>
#include <stdexcept>

#include "model/number_text.hpp"

namespace weir {
namespace {

void require_rate(const char* maker, double rate) {
  if (!(rate > 0) || std::isinf(rate))
    throw std::invalid_argument(std::string("objective::") + maker + ": the rate is " + in_digits(rate) +
                                " records a second; it must be finite and more than 0");
}

}  // namespace

std::string to_string(const stream_demand& asked) {
  const std::string rate = in_digits(asked.rate) + (asked.rate == 1 ? " record a second" : " records a second");
  return std::isinf(asked.p99.count()) ? rate : "p99 at most " + in_digits(asked.p99.count() * 1e3) + " ms at " + rate;
}

objective objective::latency_at(double rate) {
  require_rate("latency_at", rate);
  return objective(kind::latency, rate);
}

objective objective::fewest_cores(const stream_demand& asked) {
  require_rate("fewest_cores", asked.rate);
  if (!(asked.p99.count() > 0))
    throw std::invalid_argument("objective::fewest_cores: p99 is " + in_digits(asked.p99.count()) +
                                " seconds; it must be more than 0");
  return objective(kind::fewest_cores, asked.rate, asked.p99.count());
}

std::optional<stream_demand> objective::demand() const {
  if (!(rate_ > 0)) return std::nullopt;
  return stream_demand{rate_, std::chrono::duration<double>(p99_)};
}

std::string objective::name() const {
  const std::string rate = in_digits(rate_) + "/s";
  switch (kind_) {
    case kind::throughput:
      return "throughput";
    case kind::latency:
      return rate_ > 0 ? "latency at " + rate : "latency";
    case kind::fewest_cores:
      break;
  }
  return "fewest cores for " + rate + (std::isinf(p99_) ? "" : ", p99 " + in_digits(p99_ * 1e3) + " ms");
}

}  // namespace weir
