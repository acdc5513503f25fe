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

// One network of everything with a state - ordered, feedback, split, star, synchrocells. Pairs of records flow through
// it at a bounded rate for the whole soak. Sometimes the reader pauses, so that the network fills up.
//
// All input has to come out: each pair p once, in order among those of its key, with the contents of both halves. The
// only exceptions are some pairs that a box fails on. So at any time, in records:  sent = 2 results + failed + held +
// in flight.
class long_run {
 public:
  // `changes`: its cores change ten times a second, at random. Otherwise only as other runs on `on` come and go.
  long_run(std::string name, machine on, policy rule, bool changes, std::uint64_t seed, violations& to);
  ~long_run();

  // Compares the counters; to be called once a second. False if nothing came out for too long: then the run hangs.
  bool look();

  // Checks that everything sent came out and nothing is left. To be called once.
  void end();

  struct numbers {
    std::uint64_t sent = 0, results = 0, failed = 0, decisions = 0, leases = 0;
    std::uint64_t most_in_flight = 0;
    double longest_pause = 0;  // seconds between two results as seen by look()
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
  std::atomic<bool> is_paused_{false};     // the reader pauses: as much is sent as fits
  std::array<std::int64_t, 8> deepest_{};  // stages of the star, by key: for the sender only
  numbers numbers_;                        // for look() only
  double last_decision_ = -1;              // seconds since the run's start
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
  std::thread reader_;
  std::jthread sender_, changer_;
};

}  // namespace weir::testing
