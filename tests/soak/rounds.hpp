#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "tests/soak/violations.hpp"

namespace weir::testing {

// One round of a program: the source of its random choices, and where it reports. Its functions are thread-safe, except
// drawing, which only the round's own thread may do.
class round {
 public:
  round(std::string name, std::uint64_t seed, bool synthetic, const std::atomic<bool>& over, violations& to)
      : is_synthetic(synthetic), name_(std::move(name)), seed_(seed), over_(over), violations_(to), random_(seed) {}

  const bool is_synthetic;  // no run on this machine's cores

  std::uint64_t up_to(std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(0, most)(random_); }
  bool one_in(std::uint64_t n) { return up_to(n - 1) == 0; }
  std::uint64_t seed() const { return seed_; }

  // The time is over: a long round should end now.
  bool is_over() const { return over_; }

  // Describes the drawn choices, for reports of hangs and errors.
  void say(const std::string& about);
  void expect(bool holds, const std::string& what);
  // `results` results came out; a round without any for `stall_limit` hangs.
  void note_arrival(std::uint64_t results = 1);

  std::string about() const;
  std::uint64_t results() const { return results_; }
  bool is_stalled() const { return std::chrono::steady_clock::now() - last_.load() > stall_limit; }

 private:
  const std::string name_;
  const std::uint64_t seed_;
  const std::atomic<bool>& over_;
  violations& violations_;
  std::mt19937_64 random_;
  mutable std::mutex mutex_;
  std::string about_;
  std::atomic<std::uint64_t> results_{0};
  std::atomic<std::chrono::steady_clock::time_point> last_{std::chrono::steady_clock::now()};
};

// A program that runs in rounds, one after the other in its own thread, with seeds `first`, first + 1, .. At most ten
// rounds begin per second.
class rounds {
 public:
  rounds(std::string name, std::function<void(round&)> body, std::uint64_t first, bool synthetic, violations& to);
  ~rounds() { finish(); }

  // The program that hangs, in words; "" if none does.
  std::string stalled();
  // Waits for the current round.
  void finish();

  const std::string& name() const { return name_; }
  struct numbers {
    std::uint64_t rounds = 0, results = 0;
  };
  numbers so_far() const;

 private:
  void work(std::uint64_t first, bool synthetic);

  const std::string name_;
  const std::function<void(round&)> body_;
  violations& violations_;
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  round* now_ = nullptr;  // under mutex_
  numbers numbers_;       // of rounds that have ended, under mutex_
  std::thread thread_;
};

// The programs. The definition of each states its invariants.
void nested_runs(round& r);
void callbacks(round& r);
void senders(round& r);
void account(round& r);
void processes(round& r);

}  // namespace weir::testing
