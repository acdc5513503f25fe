#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "runtime/machine/platform.hpp"

namespace weir::testing {

// A synthetic machine whose CPU clocks cannot be read: the base of the tests' own platforms.
class test_platform : public detail::platform {
 public:
  explicit test_platform(const std::string& cores = "core:4 pu:1")
      : cores_(std::make_shared<const topology>(topology::synthetic(cores))) {}

  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  bool is_local() const override { return false; }
  double now() const noexcept override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  detail::thread_usage usage() const noexcept override { return {}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {}; }
  double cpu_seconds(detail::cpu_clock) const noexcept override { return std::numeric_limits<double>::quiet_NaN(); }
  bool bind(const core_set&) noexcept override { return true; }
  bool unbind() noexcept override { return true; }

 private:
  const std::shared_ptr<const topology> cores_;
};

}  // namespace weir::testing
