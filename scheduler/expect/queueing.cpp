#include "scheduler/expect/queueing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "scheduler/view/numbers.hpp"

namespace weir {

void shared_queue::add(const offered_load& one) {
  rate_ += one.rate;
  work_ += one.rate * one.service;
  square_ += one.rate * one.service * one.service * (one.batch + one.variation);
}

offered_load shared_queue::load() const {
  if (!(work_ > 0)) return {};
  const double mean = work_ / rate_;
  return {rate_, mean, std::max(0.0, square_ / rate_ / (mean * mean) - 1)};
}

double shared_queue::wait(int servers) const { return waiting_time(load(), servers); }

std::vector<double> waits_by_weight(const std::vector<weighted_work>& kinds) {
  std::vector<std::size_t> order(kinds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return kinds[i].weight; });
  // The sums of the formula, taken apart into those over rho W and rho W b, and over rho and rho/b. Kinds of one weight
  // add 0 to each other.
  const std::size_t n = kinds.size();
  std::vector<double> busy_from(n + 1, 0), over_weight_from(n + 1, 0);  // each place of `order` on
  for (std::size_t at = n; at-- > 0;) {
    const auto [weight, busy] = kinds[order[at]];
    busy_from[at] = busy_from[at + 1] + busy;
    over_weight_from[at] = over_weight_from[at + 1] + busy / weight;
  }
  double waits = 0, weighted_waits = 0;
  std::vector<double> parts(n);
  for (std::size_t at = 0; at < n; ++at) {
    const auto [weight, busy] = kinds[order[at]];
    const double below = waits - weighted_waits / weight;
    const double above = busy_from[at + 1] - weight * over_weight_from[at + 1];
    const double part = std::max(0.0, 1 - below) / std::max(1e-9, 1 - above);
    parts[order[at]] = part;
    waits += busy * part;
    weighted_waits += busy * part * weight;
  }
  return parts;
}

double busy_probability(double rho, int servers, double batch) {
  const double beyond_one = (std::sqrt(2.0 * (servers + 1)) - 2) * servers / (servers + batch - 1);
  return std::min(1.0, std::pow(rho, 1 + beyond_one));
}

double waiting_time(const offered_load& load, int servers) {
  const double rho = load.rate * load.service / servers;
  if (!(rho > 0)) return 0;
  if (rho >= 1) return std::numeric_limits<double>::infinity();
  return load.service / servers * busy_probability(rho, servers, load.batch) / (1 - rho) *
         (load.batch + load.variation) / 2;
}

std::size_t queue_capacity(double rho, double blocking_probability, std::size_t least, std::size_t most) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("queue_capacity: " + what); };
  const double p = blocking_probability;
  if (!(p > 0 && p < 1)) refuse("the blocking probability is " + in_digits(p) + "; it must be in (0, 1)");
  if (!(rho >= 0)) refuse("rho is " + in_digits(rho) + "; it must be 0 or more");
  if (least < 1 || least > most)
    refuse("the bounds are " + std::to_string(least) + " and " + std::to_string(most) + "; 1 <= least <= most");
  double places = 1 / p - 1;
  if (const double rest = 1 - rho + p * rho; rest <= 0)
    places = std::numeric_limits<double>::infinity();
  else if (std::abs(rho - 1) > 1e-9 && rho > 0)  // else the limit 1/p - 1, where both logarithms vanish
    places = std::log(p / rest) / std::log(rho);
  else if (rho == 0)
    places = 0;
  if (!(places < static_cast<double>(most))) return most;
  // Rounding may leave slightly more than a whole number of places; up to a millionth more counts as that number.
  return std::max(least, static_cast<std::size_t>(std::ceil(std::max(0.0, places) - 1e-6)));
}

}  // namespace weir
