#pragma once

#include <cstdint>
#include <limits>
#include <map>

#include "tests/runtime/support/test_platform.hpp"

namespace weir::testing {

// A platform whose clocks and cores have the values that the test sets. `me` is the calling thread. For one thread at a
// time.
class manual_clocks final : public test_platform {
 public:
  std::map<int, double> cpu;  // by thread; a thread that is missing has ended
  int me = 0;
  std::uint64_t switches = 0;
  std::map<int, double> delays;  // by thread: seconds for which it waited for a core
  double time = 0;
  detail::core_use used;  // of the cores
  double delayed_in_all = std::numeric_limits<double>::quiet_NaN();

  double now() const noexcept override { return time; }
  detail::core_use cores_used(const core_set&) const override { return used; }
  double delay(detail::cpu_clock of) const noexcept override { return of_thread(delays, of); }
  double delay_of_process() const override { return delayed_in_all; }
  detail::thread_usage usage() const noexcept override { return {cpu_seconds({me}), switches}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {me}; }
  double cpu_seconds(detail::cpu_clock of) const noexcept override { return of_thread(cpu, of); }

 private:
  static double of_thread(const std::map<int, double>& all, detail::cpu_clock of) {
    const auto found = all.find(of.id);
    return found == all.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
};

}  // namespace weir::testing
