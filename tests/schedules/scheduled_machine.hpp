#pragma once

#include <memory>
#include <string>
#include <system_error>

#include <weir/weir.hpp>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/threads/primitives.hpp"
#include "tests/schedules/explorer.hpp"

namespace weir::testing {

// A machine without real cores whose clock and threads are the scheduler's.
class scheduled_platform final : public detail::platform {
 public:
  explicit scheduled_platform(int cores)
      : cores_(std::make_shared<const topology>(topology::synthetic("core:" + std::to_string(cores) + " pu:1"))) {}

  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  bool is_local() const override { return false; }
  double now() const noexcept override { return detail::scheduled::now(); }
  detail::thread_usage usage() const noexcept override { return {.cpu_seconds = detail::scheduled::now()}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {}; }
  double cpu_seconds(detail::cpu_clock) const noexcept override { return std::numeric_limits<double>::quiet_NaN(); }
  bool bind(const core_set&) noexcept override { return true; }
  bool unbind() noexcept override { return true; }
  detail::threads::thread start_thread(std::function<void()> body) override {
    if (this_start_fails()) throw std::system_error(EAGAIN, std::generic_category());
    return detail::threads::thread(std::move(body));
  }

 private:
  std::shared_ptr<const topology> cores_;
};

inline machine scheduled_machine(int cores) {
  return machine(std::make_shared<detail::machine_state>(std::make_shared<scheduled_platform>(cores)));
}

}  // namespace weir::testing
