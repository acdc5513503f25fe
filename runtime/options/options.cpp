#include <weir/options/options.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

#include <weir/model/named/estimators.hpp>
#include "model/number_text.hpp"

namespace weir {

namespace {

void require(bool holds, const std::string& option, const std::string& given, const char* expected) {
  if (!holds) throw std::invalid_argument("options." + option + " is " + given + ", expected " + expected);
}

constexpr std::size_t most = std::size_t{1} << 30;  // more was a negative number before it became a size_t

void require_number(const char* option, std::size_t given, const char* expected, std::size_t least = 0) {
  require(given >= least && given <= most, option, std::to_string(given), expected);
}

template <class Enum>
void require_one_of(std::initializer_list<Enum> known, const char* option, Enum given, const char* expected) {
  require(std::ranges::find(known, given) != known.end(), option, std::to_string(static_cast<int>(given)), expected);
}

void require_seconds(const std::string& of_watchdog, double given) {
  require(given > 0, "watchdog." + of_watchdog, in_digits(given), "seconds beyond 0");
}

}  // namespace

void options::validate() const {
  try {
    make_estimator(estimator, degree{0});  // only this knows every name, including those of variants
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("options.estimator is '" + estimator + "': " + e.what());
  }
  require_one_of({measured_time::wall, measured_time::cpu, measured_time::automatic}, "learn_from", learn_from,
                 "measured_time::automatic, wall or cpu");
  require_one_of({neighbour_runs::by_environment, neighbour_runs::share, neighbour_runs::ignore}, "neighbours",
                 neighbours, "neighbour_runs::by_environment, share or ignore");
  require_one_of({weir::on_error::stop, weir::on_error::collect}, "on_error", on_error, "on_error::stop or collect");
  require_one_of({weir::on_failure::stop, weir::on_failure::reassign}, "on_failure", on_failure,
                 "on_failure::stop or reassign");
  require_number("capacity", capacity, "0 (automatic) to 2^30");
  require_number("results_capacity", results_capacity, "0 (automatic) to 2^30");
  require_seconds("at_least", watchdog.at_least);
  require_seconds("unknown", watchdog.unknown);
  require(watchdog.times >= 1, "watchdog.times", in_digits(watchdog.times), "at least 1");
  require(progress == 0 || (progress >= 0.25 && std::isfinite(progress)), "progress", in_digits(progress),
          "0 (no lines) or at least 0.25 seconds");
  require(max_held >= 1, "max_held", "0", "at least 1");
  require_number("max_depth", max_depth, "0 (any number) to 2^30");
  require_number("max_branches", max_branches, "0 (any number) to 2^30");
  require_number("max_in_flight", max_in_flight, "0 (any number) to 2^30");
  const std::string bytes = std::to_string(max_bytes_in_flight);
  require(max_bytes_in_flight <= std::uint64_t{1} << 62, "max_bytes_in_flight", bytes, "0 (any number) to 2^62");
  require(max_bytes_in_flight == 0 || record_bytes, "max_bytes_in_flight", bytes + " without options.record_bytes",
          "a function that says how large a record is");
  for (const device& one : devices)
    if (std::count_if(devices.begin(), devices.end(), [&](const device& d) { return d.name() == one.name(); }) > 1)
      throw std::invalid_argument("options.devices names " + one.name() + " twice, expected one device of each name");
  require_number("max_failures_kept", max_failures_kept, "1 to 2^30", 1);
  require_number("max_failed_records_kept", max_failed_records_kept, "0 to 2^30");
}

}  // namespace weir
