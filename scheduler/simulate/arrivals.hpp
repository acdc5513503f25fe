#pragma once

#include <cstdint>
#include <vector>

namespace weir::simulation {

// How records come to the network. Plain data.
//
//   `closed`    The sender always has another record, which enters as soon as there is space (a saturated stream).
//   `profile`   They come at the given rates, linear between the points and constant beyond the last. Two points at one
//               time make a step, two points at two times a ramp. With `poisson` arrivals are independent, else evenly
//               spaced.
//   `recorded`  They come at the given times.
struct arrivals {
  enum class kind { closed, profile, recorded };
  struct point {
    double time = 0;  // seconds
    double rate = 1;  // records a second
  };

  kind how = kind::closed;
  std::vector<point> rates;  // in ascending time, equal times allowed; the first holds from time 0
  bool poisson = true;
  std::vector<double> times;  // seconds, ascending, equal times allowed

  // Throws std::invalid_argument naming the fault: no point or time, times that fall, rates that are negative or not
  // finite, a last rate of 0, or fewer times than `records`.
  void validate(std::uint64_t records) const;
};

// The times of arrival, one after the other. They depend only on the seed, whatever else is drawn.
class arrival_times {
 public:
  // Refers to `how`, which must outlive it. `seed`: of the run. REQUIRES: how.validate() passed, and not closed.
  arrival_times(const arrivals& how, std::uint64_t seed);

  // The next time, in seconds since the start. Infinite when no recorded times are left.
  double next();

 private:
  const arrivals& how_;
  std::uint64_t seed_, count_ = 0;
  std::size_t part_ = 0;  // the point from which the stretch with `time_` starts
  double time_ = 0;
};

}  // namespace weir::simulation
