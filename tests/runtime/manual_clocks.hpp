#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>

#include "runtime/platform.hpp"

namespace weir::testing {

// A platform whose CPU clocks say what the test sets. `me` is whoever calls. For one thread at a time.
class manual_clocks final : public detail::platform {
 public:
  std::map<int, double> cpu;  // by thread; who is not in it has ended
  int me = 0;
  std::uint64_t switches = 0;

  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  bool is_local() const override { return false; }
  double now() const noexcept override { return 0; }
  detail::thread_usage usage() const noexcept override { return {cpu_seconds({me}), switches}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {me}; }
  double cpu_seconds(detail::cpu_clock of) const noexcept override {
    const auto found = cpu.find(of.id);
    return found == cpu.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  bool bind(const core_set&) noexcept override { return true; }
  bool unbind() noexcept override { return true; }

 private:
  std::shared_ptr<const topology> cores_ = std::make_shared<const topology>(topology::synthetic("core:4 pu:1"));
};

}  // namespace weir::testing
