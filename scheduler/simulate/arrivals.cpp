#include "scheduler/simulate/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "scheduler/view/counter_random.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir::simulation {
namespace {

bool follows(double t, double after) { return std::isfinite(t) && t >= after; }

}  // namespace

void arrivals::validate(std::uint64_t records) const {
  if (how == kind::profile) {
    require("arrivals", !rates.empty(), "there is no rate");
    double last = 0;
    for (const point& p : rates) {
      require("arrivals", follows(p.time, last), "the time " + in_digits(p.time) + " is before " + in_digits(last));
      require("arrivals", std::isfinite(p.rate) && p.rate >= 0, "the rate " + in_digits(p.rate) + " is below 0");
      last = p.time;
    }
    require("arrivals", rates.back().rate > 0, "the last rate is 0: the stream would never end");
  }
  if (how == kind::recorded) {
    require("arrivals", times.size() >= records,
            "there are " + std::to_string(times.size()) + " times for " + std::to_string(records) + " records");
    double last = 0;
    for (double t : times) {
      require("arrivals", follows(t, last), "the time " + in_digits(t) + " is before " + in_digits(last));
      last = t;
    }
  }
}

arrival_times::arrival_times(const arrivals& how, std::uint64_t seed) : how_(how), seed_(mix(mix(seed), 1)) {}

// The area under the rate up to the k-th arrival is k, or the sum of k exponential numbers.
double arrival_times::next() {
  if (how_.how == arrivals::kind::recorded) return count_ < how_.times.size() ? how_.times[count_++] : infinite_seconds;
  double area = how_.poisson ? -std::log(uniform(mix(seed_, count_))) : 1;
  ++count_;
  for (;;) {  // ends: each round goes on by one part, and the last part returns, perhaps NaN
    const arrivals::point& from = how_.rates[part_];
    if (part_ + 1 == how_.rates.size()) return time_ += area / from.rate;
    const arrivals::point& to = how_.rates[part_ + 1];
    const double begin = std::max(from.time, time_), length = to.time - begin;
    const double slope = to.time > from.time ? (to.rate - from.rate) / (to.time - from.time) : 0;
    // The rate of the first point also holds before it.
    const double rate = from.rate + slope * (begin - from.time);
    const double ahead = time_ < from.time ? from.rate * (from.time - time_) : 0;
    if (ahead >= area) return time_ += area / from.rate;
    area -= ahead;
    time_ = begin;
    if (const double all = (rate + (rate + slope * length)) / 2 * length; length > 0 && all >= area) {
      // Solves rate t + slope t^2 / 2 = area, in the form that is exact for small slopes.
      const double root = std::sqrt(std::max(0.0, rate * rate + 2 * slope * area));
      return time_ += 2 * area / (rate + root);
    } else if (length > 0) {
      area -= all;
    }
    time_ = std::max(time_, to.time);
    ++part_;
  }
}

}  // namespace weir::simulation
