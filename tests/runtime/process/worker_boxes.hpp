#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/process.hpp>
#include "tests/support/busy.hpp"

// Boxes that tests run here, in a worker of C++, in a host of the test program, and in a worker of Python.
namespace weir::testing {

struct grid {
  std::size_t rows = 0, columns = 0;
  std::vector<float> entries{};
  bool operator==(const grid&) const = default;
};

// Has a codec and no layout.
struct person {
  std::string name;
  std::map<std::string, int> marks;
  bool operator==(const person&) const = default;
};

}  // namespace weir::testing

template <>
struct weir::array_layout<weir::testing::grid> {
  using element = float;
  static std::array<std::size_t, 2> shape(const testing::grid& g) { return {g.rows, g.columns}; }
  static const float* data(const testing::grid& g) { return g.entries.data(); }
  static float* data(testing::grid& g) { return g.entries.data(); }
  static testing::grid make(const std::array<std::size_t, 2>& shape) {
    return {shape[0], shape[1], std::vector<float>(shape[0] * shape[1])};
  }
};
template <>
struct weir::codec<weir::testing::person> {
  static void write(wire_writer& to, const testing::person& p) {
    if (p.name == "nobody") throw std::runtime_error("no name");
    to.put(p.name);
    to.put(p.marks);
  }
  static testing::person read(wire_reader& from) {
    return {from.get<std::string>(), from.get<std::map<std::string, int>>()};
  }
};

namespace weir::testing {

inline constexpr tag n{"n"}, pid{"pid"}, cores_seen{"cores"};
inline constexpr field<std::int64_t> integer{"integer"};
inline constexpr field<std::uint8_t> small{"small"};
inline constexpr field<bool> flag{"flag"};
inline constexpr field<double> number{"number"};
inline constexpr field<float> single{"single"};
inline constexpr field<std::string> text{"text"};
inline constexpr field<std::filesystem::path> file{"file"};
inline constexpr field<std::vector<std::byte>> raw{"raw"};
inline constexpr field<std::vector<double>> numbers{"numbers"};
inline constexpr field<grid> table{"table"};
inline constexpr field<person> who{"who"};
inline constexpr field<shared_array<float, 2>> image{"image"};

// Gives its values back, of every type.
inline auto echo() {
  return box("echo", takes(n, integer, small, flag, number, single, text, file, raw, numbers, table),
             gives(n, integer, small, flag, number, single, text, file, raw, numbers, table),
             [](std::int64_t tag, std::int64_t i, std::uint8_t s, bool f, double d, float e, const std::string& t,
                const std::filesystem::path& p, const std::vector<std::byte>& b, const std::vector<double>& v,
                const grid& g) { return std::tuple(tag, i, s, f, d, e, t, p, b, v, g); });
}

// Takes a type that only C++ knows.
inline auto greet() {
  return box("greet", takes(who), gives(who), [](const person& p) {
    person next = p;
    next.marks["greeted"] += 1;
    return next;
  });
}

// Emits n records of two kinds, and then fails if n is 13.
inline auto count() {
  return box("count", takes(n), gives(n) | gives(text, n), [](std::int64_t many, emitter& emit) {
    for (std::int64_t i = 0; i < many; ++i) {
      if (i % 2 == 0)
        emit(n = i);
      else
        emit(text = std::to_string(i), n = i);
    }
    if (many == 13) throw std::runtime_error("thirteen");
  });
}

// Does what n says: 0 crashes, 1 hangs, 2 leaves, 3 throws, -1 forks, -2 throws a text with a byte 0, -5 closes its
// connection, -6 ends its thread. Else it gives n + 1.
inline std::int64_t behave(std::int64_t how) {
  switch (how) {
    case 0:
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
      break;
    case 1:
      for (;;) ::pause();
    case 2:
      std::_Exit(7);
    case 3:
      throw std::runtime_error("three");
    case -6:
      ::pthread_exit(nullptr);
    case -2:
      throw std::string("before\0behind", 13);
    case -1:
      if (::fork() == 0) return 0;
      ::wait(nullptr);
      break;
    case -5:
      ::close(3);
      break;
    default:
      break;
  }
  return how + 1;
}
inline auto misbehave() { return box("misbehave", takes(n), gives(n), behave); }

// Gives n and n + 1.
inline auto twice() {
  return box("twice", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    emit(n = v);
    emit(n = v + 1);
  });
}

// Its process, and how often that was called: by a value of each_lane().
inline auto remember() {
  return box("remember", takes(n), gives(n, pid),
             [](std::int64_t& calls, std::int64_t) {
               return std::tuple(++calls, static_cast<std::int64_t>(::getpid()));
             })
      .each_lane([] { return std::int64_t{0}; });
}

// Twice the values, in memory of its own.
inline auto brighten() {
  return box("brighten", takes(image), gives(image), [](const shared_array<float, 2>& from) {
    shared_array<float, 2> to(from.shape());
    const auto values = to.values();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2 * from.values()[i];
    return to;
  });
}

// Writes its process to the error stream, and n lines of 64 bytes; for n of -1 without end. The lines have numbers,
// which go on from call to call.
inline std::int64_t talk_of(std::int64_t lines) {
  static std::int64_t next = 0;
  std::fprintf(stderr, "process %d\n", ::getpid());
  std::string some;
  for (std::int64_t i = 0; i != lines; ++i) {
    std::array<char, 65> line;
    std::snprintf(line.data(), line.size(), "line %020lld %37s\n", static_cast<long long>(next++),
                  "of a worker that talks");
    some += line.data();
    if (i % 1000 == 999 || i + 1 == lines) std::fputs(std::exchange(some, "").c_str(), stderr);
  }
  return lines;
}
inline constexpr std::int64_t lines_of_farewell = 3000;
// Gives its input, and writes a line to standard output.
inline auto print() {
  return box("print", takes(n), gives(n), [](std::int64_t v) {
    std::puts("a line for standard output");
    std::fflush(stdout);
    return v;
  });
}
inline auto talk() { return box("talk", takes(n), gives(n), talk_of); }

// Twice the numbers of a batch and its size; one above 1000 throws, and 7 crashes unless it is alone.
inline auto together() {
  return box("together", takes(n), gives(n, integer),
             [](std::span<const std::int64_t> all) {
               std::vector<std::pair<std::int64_t, std::int64_t>> results;
               for (const std::int64_t v : all) {
                 if (v > 1000) throw std::runtime_error("above 1000");
                 if (v == 7 && all.size() > 1) std::_Exit(7);
                 results.push_back({2 * v, static_cast<std::int64_t>(all.size())});
               }
               return results;
             })
      .batched(16);
}

// Emits n % 3 records for each of a batch.
inline auto emit_together() {
  return box("emit_together", takes(n), gives(n),
             [](std::span<const std::int64_t> all, batch_emitter& out) {
               for (std::size_t i = all.size(); i-- > 0;)
                 for (std::int64_t k = 0; k < all[i] % 3; ++k) out[i](n = 10 * all[i] + k);
             })
      .batched(16);
}

// Gives its text back. Its process is interrupted a thousand times a second from the first call on.
inline std::string pass_on(const std::string& given) {
  static const bool is_interrupted = [] {
    struct sigaction without_restart = {};
    without_restart.sa_handler = [](int) {};
    const itimerval often{{0, 1000}, {0, 1000}};
    return sigaction(SIGALRM, &without_restart, nullptr) == 0 && setitimer(ITIMER_REAL, &often, nullptr) == 0;
  }();
  if (!is_interrupted) throw std::runtime_error("there is no timer");
  return given;
}
inline auto pass() { return box("pass", takes(text), gives(text), pass_on); }
inline auto pass_there() { return box("pass there", takes(text), gives(text), pass_on); }

// Computes for 20 n ms on n threads, longer than a sanitized program takes to start, and gives 1.
inline std::int64_t compute_on(std::int64_t threads) {
  std::vector<std::jthread> others;
  const auto compute = [threads] { busy(std::chrono::milliseconds(20 * threads)); };
  for (std::int64_t i = 1; i < threads; ++i) others.emplace_back(compute);
  compute();
  return 1;
}

// Nothing comes out.
inline auto swallow() {
  return box("swallow", takes(n), gives_none, [](std::int64_t) {});
}

// The processing units of the process, and of a thread that it started at its first call.
inline std::string affinity() {
  cpu_set_t set;
  std::string all;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) all += std::to_string(i) + ' ';
  return all;
}
class other_thread {
 public:
  other_thread() : thread_([this] { run(); }) {}
  ~other_thread() { thread_.join(); }
  std::string ask() {
    asked_.release();
    answered_.acquire();
    return answer_;
  }
  void end() {
    is_over_ = true;
    asked_.release();
  }

 private:
  void run() {
    for (asked_.acquire(); !is_over_; asked_.acquire()) {
      answer_ = affinity();
      answered_.release();
    }
  }
  std::binary_semaphore asked_{0}, answered_{0};
  std::string answer_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};
inline auto see_affinity() {
  struct ended {
    std::unique_ptr<other_thread> other = std::make_unique<other_thread>();
    ended() = default;
    ended(ended&&) = default;
    ~ended() {
      if (other) other->end();
    }
  };
  return box("see_affinity", takes(n), gives(text, n),
             [](ended& thread, const grant& given, std::int64_t) {
               return std::tuple(affinity() + "| " + thread.other->ask(), static_cast<std::int64_t>(given.size()));
             })
      .each_lane([] { return ended{}; });
}

inline auto see_cores() {
  return box("see_cores", takes(n), gives(cores_seen, pid), [](const grant& given, std::int64_t) {
    return std::tuple(static_cast<std::int64_t>(given.size()), static_cast<std::int64_t>(::getpid()));
  });
}

}  // namespace weir::testing
