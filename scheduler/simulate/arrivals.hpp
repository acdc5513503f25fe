#pragma once

#include <cstdint>
#include <vector>

namespace weir::simulation {

// How records come to the network. Plain data.
//
//   closed    whoever sends always has another record: it enters as soon as there is room (a saturated stream)
//   profile   at the given rates, linear between the points and constant beyond the last: steps are two points at one
//             time, ramps two points at two times. `poisson`: independent arrivals; else evenly spaced.
//   recorded  at the given times
struct arrivals {
  enum class kind { closed, profile, recorded };
  struct point {
    double time = 0;  // seconds
    double rate = 1;  // records a second
  };

  kind how = kind::closed;
  std::vector<point> rates;  // times not falling; the first counts from time 0 on
  bool poisson = true;
  std::vector<double> times;  // not falling; seconds

  // Throws std::invalid_argument naming what is out of range: no point or time, times that fall, rates below 0 or not
  // finite, a last rate of 0, fewer times than `records`.
  void validate(std::uint64_t records) const;
};

// The times of arrival, one after the other. They follow from the seed, whatever else is drawn.
class arrival_times {
 public:
  // Refers to `how`, which must outlive it. REQUIRES: how.validate() passed, and not closed.
  arrival_times(const arrivals& how, std::uint64_t seed);

  // Seconds since the start. With recorded times, infinity when there are no more.
  double next();

 private:
  const arrivals& how_;
  std::uint64_t seed_, count_ = 0;
  std::size_t part_ = 0;  // the point whose stretch `time_` lies in
  double time_ = 0;
};

}  // namespace weir::simulation
