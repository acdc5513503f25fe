#pragma once

#include <array>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <weir/weir.hpp>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "tests/schedules/explorer.hpp"

namespace weir::testing {

constexpr int most_scheduled_cores = 4;

// The topologies of the machines, made once: hwloc takes longer for one than most schedules do for the rest.
inline const std::shared_ptr<const topology>& cores_of_a_machine(int count) {
  static const auto all = [] {
    std::array<std::shared_ptr<const topology>, most_scheduled_cores + 1> made;
    for (int n = 1; n <= most_scheduled_cores; ++n)
      made[static_cast<std::size_t>(n)] =
          std::make_shared<const topology>(topology::synthetic("core:" + std::to_string(n) + " pu:1"));
    return made;
  }();
  return all.at(static_cast<std::size_t>(count));
}

// A machine without real cores whose clock and threads are the scheduler's.
class scheduled_platform : public detail::platform {
 public:
  explicit scheduled_platform(std::shared_ptr<const topology> cores, bool keeps = false)
      : cores_(std::move(cores)), keeps_(keeps) {}

  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  bool is_local() const override { return false; }
  double now() const noexcept override { return detail::scheduled::now() + this_reading_is_off(); }
  detail::thread_usage usage() const noexcept override { return {.cpu_seconds = detail::scheduled::now()}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {}; }
  double cpu_seconds(detail::cpu_clock) const noexcept override { return std::numeric_limits<double>::quiet_NaN(); }
  bool bind(const core_set&) noexcept override { return !this_binding_fails(); }
  bool unbind() noexcept override { return !this_binding_fails(); }
  detail::threads::thread start_thread(std::function<void()> body) override {
    if (this_start_fails()) throw std::system_error(EAGAIN, std::generic_category());
    return detail::threads::thread(std::move(body));
  }
  bool keeps_threads() const override { return keeps_; }

 private:
  std::shared_ptr<const topology> cores_;
  bool keeps_;
};

inline machine scheduled_machine(std::shared_ptr<const topology> cores, bool keeps = false) {
  return machine(
      std::make_shared<detail::machine_state>(std::make_shared<scheduled_platform>(std::move(cores), keeps)));
}
inline machine scheduled_machine(int cores) { return scheduled_machine(cores_of_a_machine(cores)); }

}  // namespace weir::testing
