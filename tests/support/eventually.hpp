#pragma once

#include <chrono>
#include <thread>

namespace weir::testing {

// Polls until the condition holds; false if it did not within the limit. For conditions that other threads make true
// without a notification. The limit is far beyond the time that any condition needs on a busy machine.
template <class Condition>
bool eventually(Condition holds, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return holds();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace weir::testing
