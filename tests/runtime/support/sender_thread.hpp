#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/runtime/language/labels.hpp"

namespace weir::testing {

// A thread that sends `count` records to a run, those of 0 to count - 1, and closes the run.
class sender_thread {
 public:
  template <class RecordOf>
  sender_thread(execution& run, std::int64_t count, RecordOf record_of)
      : thread_([&run, count, record_of, this] {
          try {
            for (std::int64_t i = 0; i < count; ++i) run.send(record_of(i));
            run.close();
          } catch (const send_error&) {
            if (!gave_up_) throw;
          }
        }),
        run_(run) {}
  sender_thread(execution& run, std::int64_t count)
      : sender_thread(run, count, [](std::int64_t i) { return record{n = i}; }) {}
  // A test that ends early leaves the run's results: the run is stopped then, so that no send waits for room for ever.
  ~sender_thread() {
    if (!thread_.joinable()) return;
    gave_up_ = ::testing::Test::HasFatalFailure();
    if (gave_up_) run_.stop();
    thread_.join();
  }
  void join() { thread_.join(); }

 private:
  std::atomic<bool> gave_up_{false};
  std::thread thread_;
  execution& run_;
};

}  // namespace weir::testing
