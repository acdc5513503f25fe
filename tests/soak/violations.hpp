#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/sanitizers.hpp"

namespace weir::testing {

// Violations of invariants, in words; printed when they are found. Thread-safe.
class violations {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    all_.push_back(text);
    std::fprintf(stderr, "violation: %s\n", text.c_str());
    std::fflush(stderr);
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

// Nothing here takes a tenth of this on a busy machine; anything longer hangs.
constexpr std::chrono::seconds stall_limit(slow ? 300 : 30);

}  // namespace weir::testing
