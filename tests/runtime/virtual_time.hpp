#pragma once

#include <limits>
#include <memory>
#include <string>

#include <weir/weir.hpp>

#include "runtime/machine_state.hpp"
#include "runtime/platform.hpp"

namespace weir::testing {

// A synthetic machine without threads whose clock stands still but for advance(): what a network takes is what its
// boxes say, and everything that happens, decisions included, happens in the thread of the caller, in the same order
// each time. For one thread.
class virtual_time final : public detail::platform {
 public:
  explicit virtual_time(const std::string& cores)
      : cores_(std::make_shared<const topology>(topology::synthetic(cores))) {}

  void advance(double seconds) { now_ += seconds; }

  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  bool is_local() const override { return false; }
  double now() const noexcept override { return now_; }
  detail::thread_usage usage() const noexcept override { return {}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {}; }
  double cpu_seconds(detail::cpu_clock) const noexcept override { return std::numeric_limits<double>::quiet_NaN(); }
  bool bind(const core_set&) noexcept override { return true; }
  bool unbind() noexcept override { return true; }
  bool has_threads() const override { return false; }

 private:
  const std::shared_ptr<const topology> cores_;
  double now_ = 0;
};

inline options on(const std::shared_ptr<virtual_time>& time) {
  options o;
  o.machine = machine(std::make_shared<detail::machine_state>(time));
  return o;
}

}  // namespace weir::testing
