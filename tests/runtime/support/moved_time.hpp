#pragma once

#include <time.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/eventually.hpp"

namespace weir::testing {

// A synthetic machine with threads whose clock a test moves forward.
class moved_time final : public test_platform {
 public:
  moved_time() : test_platform("core:2 pu:1") {}
  void advance(double seconds) { ahead_.fetch_add(seconds); }
  // From now on only advance() moves it.
  void freeze() {
    if (frozen_at_.load() == 0) frozen_at_.store(test_platform::now());
  }
  // Waits until the controller has looked at every run and thread twice since the call; false if it sleeps. Each look
  // begins with the CPU clock of the process.
  bool wait_for_checks() const {
    const auto before = looks_.load();
    return eventually([&] { return looks_.load() >= before + 3; });
  }

  double now() const noexcept override {
    const double frozen = frozen_at_.load();
    return ahead_.load() + (frozen > 0 ? frozen : test_platform::now());
  }
  double cpu_seconds(detail::cpu_clock of) const noexcept override {
    if (of.id == CLOCK_PROCESS_CPUTIME_ID) looks_.fetch_add(1);
    return test_platform::cpu_seconds(of);
  }

 private:
  std::atomic<double> ahead_{0}, frozen_at_{0};  // seconds; frozen at 0: it runs
  mutable std::atomic<int> looks_{0};
};

}  // namespace weir::testing
