#include <weir/options/options.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <weir/model/named/estimators.hpp>
#include "model/number_text.hpp"

namespace weir {

void options::validate() const {
  try {
    make_estimator(estimator, degree{0});  // only this knows every name, including those of variants
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("options.estimator is '" + estimator + "': " + e.what());
  }
  if (learn_from != measured_time::wall && learn_from != measured_time::cpu && learn_from != measured_time::automatic)
    throw std::invalid_argument("options.learn_from is " + std::to_string(static_cast<int>(learn_from)) +
                                ", expected measured_time::automatic, wall or cpu");
  if (neighbours != neighbour_runs::by_environment && neighbours != neighbour_runs::share &&
      neighbours != neighbour_runs::ignore)
    throw std::invalid_argument("options.neighbours is " + std::to_string(static_cast<int>(neighbours)) +
                                ", expected neighbour_runs::by_environment, share or ignore");
  if (on_error != weir::on_error::stop && on_error != weir::on_error::collect)
    throw std::invalid_argument("options.on_error is " + std::to_string(static_cast<int>(on_error)) +
                                ", expected on_error::stop or collect");
  if (on_failure != weir::on_failure::stop && on_failure != weir::on_failure::reassign)
    throw std::invalid_argument("options.on_failure is " + std::to_string(static_cast<int>(on_failure)) +
                                ", expected on_failure::stop or reassign");
  constexpr std::size_t most = std::size_t{1} << 30;  // more was a negative number before it became a size_t
  if (capacity > most)
    throw std::invalid_argument("options.capacity is " + std::to_string(capacity) + ", expected 0 (automatic) to 2^30");
  if (results_capacity > most)
    throw std::invalid_argument("options.results_capacity is " + std::to_string(results_capacity) +
                                ", expected 0 (automatic) to 2^30");
  const auto seconds = [](const char* which, double given) {
    if (!(given > 0))
      throw std::invalid_argument("options.watchdog." + std::string(which) + " is " + in_digits(given) +
                                  ", expected seconds beyond 0");
  };
  seconds("at_least", watchdog.at_least);
  seconds("unknown", watchdog.unknown);
  if (!(watchdog.times >= 1))
    throw std::invalid_argument("options.watchdog.times is " + in_digits(watchdog.times) + ", expected at least 1");
  if (!(progress == 0 || (progress >= 0.25 && std::isfinite(progress))))
    throw std::invalid_argument("options.progress is " + in_digits(progress) +
                                ", expected 0 (no lines) or at least 0.25 seconds");
  if (max_held < 1) throw std::invalid_argument("options.max_held is 0, expected at least 1");
  if (max_depth > most)
    throw std::invalid_argument("options.max_depth is " + std::to_string(max_depth) +
                                ", expected 0 (any number) to 2^30");
  if (max_branches > most)
    throw std::invalid_argument("options.max_branches is " + std::to_string(max_branches) +
                                ", expected 0 (any number) to 2^30");
  if (max_in_flight > most)
    throw std::invalid_argument("options.max_in_flight is " + std::to_string(max_in_flight) +
                                ", expected 0 (any number) to 2^30");
  if (max_bytes_in_flight > std::uint64_t{1} << 62)
    throw std::invalid_argument("options.max_bytes_in_flight is " + std::to_string(max_bytes_in_flight) +
                                ", expected 0 (any number) to 2^62");
  if (max_bytes_in_flight > 0 && !record_bytes)
    throw std::invalid_argument("options.max_bytes_in_flight is " + std::to_string(max_bytes_in_flight) +
                                " without options.record_bytes, expected a function that says how large a record is");
  for (const device& one : devices)
    if (std::count_if(devices.begin(), devices.end(), [&](const device& d) { return d.name() == one.name(); }) > 1)
      throw std::invalid_argument("options.devices names " + one.name() + " twice, expected one device of each name");
  if (max_failures_kept < 1 || max_failures_kept > most)
    throw std::invalid_argument("options.max_failures_kept is " + std::to_string(max_failures_kept) +
                                ", expected 1 to 2^30");
  if (max_failed_records_kept > most)
    throw std::invalid_argument("options.max_failed_records_kept is " + std::to_string(max_failed_records_kept) +
                                ", expected 0 to 2^30");
}

}  // namespace weir
