#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/soak/violations.hpp"

namespace weir::testing {

// Random networks of the language (tests/runtime/language/random_language.hpp), a few at a time, one after the other.
// Each runs in one way, drawn with it, and is compared with the oracle. Some end by errors, some are stopped, some are
// destroyed with unread results, and some share this machine's cores.
class short_runs {
 public:
  // Networks first, first + 1, ..; or always `only`.
  short_runs(int at_a_time, std::uint64_t first, std::optional<std::uint64_t> only, violations& to);
  ~short_runs() { finish(); }

  // The networks that hang, in words; "" if none does.
  std::string stalled();

  // Waits for the networks that still run.
  void finish();

  struct numbers {
    std::uint64_t runs = 0, ended_early = 0, sent = 0, results = 0, failed = 0, decisions = 0;
  };
  numbers so_far() const;

 private:
  struct hand {
    std::string about;  // its present network
    std::chrono::steady_clock::time_point since;
    std::thread thread;
  };
  void work(hand& me);
  void run(hand& me, std::uint64_t number);

  violations& violations_;
  const std::optional<std::uint64_t> only_;
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  numbers numbers_;
  std::vector<hand> hands_;  // `about` and `since` under mutex_
};

}  // namespace weir::testing
