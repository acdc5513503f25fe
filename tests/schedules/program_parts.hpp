#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "tests/schedules/explorer.hpp"
#include "tests/schedules/programs.hpp"
#include "tests/schedules/scheduled_machine.hpp"

// The parts of programs for schedules.
namespace weir::testing {

inline constexpr tag n{"n"}, k{"k"}, m{"m"};
inline constexpr field<int> a{"a"}, b{"b"};
using numbers = std::vector<std::int64_t>;

// A thread that is joined at the end of its scope. A fault that ended the run reaches it, too, and the reader reports
// it. `stops`: a run that waits for this thread's records, or for which this thread waits. It is stopped if a fault
// ends the thread, or the program before it is joined.
class joined {
 public:
  explicit joined(const std::function<void()>& body, execution* stops = nullptr)
      : thread_([body, stops] {
          try {
            body();
            return;
          } catch (const run_error&) {
            if (!a_fault_comes()) throw;
          } catch (const std::bad_alloc&) {
            if (!a_fault_comes()) throw;
          }
          if (stops) stops->stop();
        }),
        stops_(stops) {}
  ~joined() {
    if (stops_ && std::uncaught_exceptions() > 0) stops_->stop();
    join();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  detail::threads::thread thread_;
  execution* const stops_;
};

// A run with a fault may give less: that it ends is all that is checked of it.
inline void require(bool holds, const std::string& what) {
  if (!holds && !a_fault_comes()) throw std::runtime_error(what);
}

inline void require_equal(const numbers& got, const numbers& expected, const std::string& what) {
  if (got == expected || a_fault_comes()) return;
  std::ostringstream text;
  text << what << ": got";
  for (const auto one : got) text << ' ' << one;
  text << ", expected";
  for (const auto one : expected) text << ' ' << one;
  throw std::runtime_error(text.str());
}

inline numbers sorted(numbers all) {
  std::sort(all.begin(), all.end());
  return all;
}

inline numbers up_to(std::int64_t last) {
  numbers all;
  for (std::int64_t i = 1; i <= last; ++i) all.push_back(i);
  return all;
}

// In virtual time, so that a run learns and moves its cores.
inline void sleep_for(std::chrono::microseconds time) {
  detail::threads::mutex alone;
  detail::threads::condition_variable nobody_wakes;
  std::unique_lock lock(alone);
  nobody_wakes.wait_until(lock, detail::threads::clock::now() + time);
}

struct setting {
  int cores = 2;
  std::size_t capacity = 0;
  bool equal = false;
};

inline options on(const setting& s) {
  options o;
  o.machine = scheduled_machine(s.cores);
  o.capacity = s.capacity;
  if (s.equal) o.policy = equal_shares{};
  o.on_error = on_error::collect;
  return o;
}

inline network named(const std::string& name) {
  return box(name, takes(n), gives(n), [](std::int64_t i) { return i; });
}

inline network total(const std::string& name = "total") {
  return fold(
      name, takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t i) { sum += i; },
      [](std::int64_t& sum, emitter& emit) { emit(n = sum); });
}

inline network counted_from_one(std::int64_t last) {
  return source("numbers", gives(n), [last](emitter& emit) {
    for (std::int64_t i = 1; i <= last; ++i) emit(n = i);
  });
}

inline void check_accounts(const execution& run, std::uint64_t in, std::uint64_t out) {
  const run_report r = run.report();
  require(r.sent == in, "the report says " + std::to_string(r.sent) + " records in");
  require(r.results == out, "the report says " + std::to_string(r.results) + " records out");
}

inline numbers read_all(execution& run) {
  numbers got;
  for (const record& r : run) got.push_back(r[n]);
  return got;
}

// One thread sends all and reads afterwards.
// Another thread sends 1 to 4. The reader sends the rest up to `last` from the first result on.
inline void send_while_reading(execution& run, std::int64_t last) {
  joined other(
      [&] {
        for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
      },
      &run);
  numbers got;
  for (const record& r : run) {
    got.push_back(r[n]);
    if (got.size() == 1)
      for (std::int64_t i = 5; i <= last; ++i) run.send(n = i);
    if (std::ssize(got) == last) run.close();
  }
  require_equal(sorted(got), up_to(last), "results");
}

inline numbers sent_and_read(const network& net, std::int64_t count, options o) {
  execution run = start(net, std::move(o));
  for (std::int64_t i = 1; i <= count; ++i) run.send(n = i);
  run.close();
  numbers got = read_all(run);
  require(run.errors().empty(), "a record failed");
  return got;
}

// One thread sends, this one reads.
inline numbers sent_by_another(const network& net, std::int64_t count, options o) {
  execution run = start(net, std::move(o));
  joined sender(
      [&] {
        try {
          for (std::int64_t i = 1; i <= count; ++i) run.send(n = i);
          run.close();
        } catch (const run_error&) {  // the run is over: the reader says why
        }
      },
      &run);
  return read_all(run);
}

// Sends three records from another thread, or as many as the run takes before it is closed: `sent`.
inline joined sends_three_until_closed(execution& run, std::int64_t& sent) {
  return joined(
      [&run, &sent] {
        try {
          for (; sent < 3; ++sent) run.send(n = sent + 1);
        } catch (const send_error&) {
        }
      },
      &run);
}

// Sends the second and last record when it has the first result, while others are about to look for work.
inline numbers read_and_send_the_last(execution& run) {
  numbers got;
  for (const record& r : run) {
    got.push_back(r[n]);
    if (got.size() > 1) continue;
    run.send(n = 2);
    run.close();
  }
  return got;
}

// A box that finds out when two invocations of it go on at a time.
inline network one_invocation_at_a_time() {
  auto inside = std::make_shared<detail::threads::atomic<int>>(0);
  return box("f", takes(n), gives(n),
             [inside](std::int64_t i) {
               require(inside->fetch_add(1) == 0, "two invocations at a time");
               detail::threads::yield();
               inside->fetch_sub(1);
               return i;
             })
      .serial();
}

// A program for each of its settings.
struct kind {
  const char* name;
  void (*run)(const setting&);
  std::vector<setting> settings;
  double seconds = 0.09;
};

std::vector<kind> programs_of_networks();  // parts of a network
std::vector<kind> programs_of_callers();   // threads that send, read, stop, ask and destroy
std::vector<kind> programs_of_regions();   // regions that hand each other records
std::vector<kind> programs_of_kept_threads();
std::vector<schedule_program> programs_of_random_networks();

}  // namespace weir::testing
