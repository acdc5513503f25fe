#include <weir/scheduler/expect/random_time.hpp>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "scheduler/view/numbers.hpp"

namespace weir {

random_time& random_time::operator+=(const random_time& other) {
  mean += other.mean;
  variance += other.variance;
  third += other.third;
  return *this;
}

// With X the sum, S one time and q = 1 - 1/number: X = S, then with probability q another X. These are the raw moments
// of X.
random_time random_time::repeated(double number) const {
  if (!(number > 1)) return times(number);
  const double q = 1 - 1 / number, square = variance + mean * mean,
               cube = third + 3 * mean * variance + mean * mean * mean;
  const double first = number * mean;
  const double second = number * (square + 2 * q * mean * first);
  const double third_power = number * (cube + 3 * q * (square * first + mean * second));
  return {first, second - first * first, third_power - 3 * first * second + 2 * first * first * first};
}

double random_time::quantile(double part) const {
  if (std::isnan(mean + variance + third)) return mean + variance + third;
  if (std::isinf(mean + variance + third)) return infinite_seconds;
  if (!(variance > 0)) return mean;
  constexpr double nearly_symmetric = 1e-3;  // then a normal distribution is as good
  const double deviation = std::sqrt(variance), skewness = third / (variance * deviation);
  if (!(skewness > nearly_symmetric)) return mean + deviation * boost::math::quantile(boost::math::normal(), part);
  const double shape = 4 / (skewness * skewness), scale = third / (2 * variance);
  return mean - shape * scale + scale * boost::math::gamma_p_inv(shape, part);
}

random_time service_time(double mean, double variation) {
  return {mean, variation * mean * mean, 2 * variation * variation * mean * mean * mean};
}

random_time wait_time(double mean, double probability) {
  if (!(mean > 0) || !(probability > 0)) return {};
  time_mixture either;
  const double then = mean / probability;
  either.add(probability, service_time(then, 1));
  return either.result();
}

void time_mixture::add(double probability, const random_time& one) {
  const double m = one.mean;
  first_ += probability * m;
  second_ += probability * (one.variance + m * m);
  third_ += probability * (one.third + 3 * m * one.variance + m * m * m);
}

random_time time_mixture::result() const {
  const double m = first_;
  return {m, second_ - m * m, third_ - 3 * m * second_ + 2 * m * m * m};
}

}  // namespace weir
