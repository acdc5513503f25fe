#pragma once

#include <cstdint>
#include <limits>
#include <map>

#include "tests/runtime/support/test_platform.hpp"

namespace weir::testing {

// A platform whose CPU clocks have the values that the test sets. `me` is the calling thread. For one thread at a time.
class manual_clocks final : public test_platform {
 public:
  std::map<int, double> cpu;  // by thread; a thread that is missing has ended
  int me = 0;
  std::uint64_t switches = 0;

  double now() const noexcept override { return 0; }
  detail::thread_usage usage() const noexcept override { return {cpu_seconds({me}), switches}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {me}; }
  double cpu_seconds(detail::cpu_clock of) const noexcept override {
    const auto found = cpu.find(of.id);
    return found == cpu.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
};

}  // namespace weir::testing
