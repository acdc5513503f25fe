#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "runtime/run/run_state.hpp"
#include "tests/soak/violations.hpp"

namespace weir::testing {

// One network of everything that has a state - ordered, feedback, split, star, synchrocells - through which pairs of
// records flow at a bounded rate for as long as the soak takes. Now and then the reader pauses, so that it fills up.
//
// What goes in has to come out: each pair p, of those of its key in order, once, with the contents of both halves; but
// for some that a box fails on. So at any time, in records:  sent = 2 results + failed + held + in flight.
class long_run {
 public:
  // `changes`: its cores are changed ten times a second, to random ones. Else only as other runs on `on` come and go.
  long_run(std::string name, machine on, policy rule, bool changes, std::uint64_t seed, violations& to);
  ~long_run();

  // Compares the counters; to be called once a second. False when nothing came out for too long: then the run hangs.
  bool look();

  // Everything that was sent comes out, nothing is left. Once.
  void end();

  struct numbers {
    std::uint64_t sent = 0, results = 0, failed = 0, decisions = 0, leases = 0;
    std::uint64_t most_in_flight = 0;
    double longest_pause = 0;  // seconds between two results that were seen by look()
  };
  numbers so_far() const { return numbers_; }
  std::string state() { return name_ + "\n" + run_.report().full(); }

 private:
  void send(std::stop_token ended);
  void read();
  void change_grants(std::stop_token ended, std::uint64_t seed);
  void expect(bool holds, const std::string& what);
  run_report counted();
  void note(const run_report& r);

  const std::string name_;
  const machine machine_;
  violations& violations_;
  detail::run_state run_;
  std::atomic<std::uint64_t> sent_{0}, read_{0}, leases_{0}, most_in_flight_{0};
  std::atomic<bool> is_paused_{false};     // the reader is: all is sent that fits
  std::array<std::int64_t, 8> deepest_{};  // stages of the star, by key: the sender's
  numbers numbers_;                        // look()'s
  double last_decision_ = -1;              // seconds since the run's start
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
  std::thread reader_;
  std::jthread sender_, changer_;
};

}  // namespace weir::testing
