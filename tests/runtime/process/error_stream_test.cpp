#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <weir/weir.hpp>
#include "tests/runtime/process/error_pipe.hpp"
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"
#include "tests/support/sanitizers.hpp"

// The error stream of workers that say much.
namespace weir::testing {
namespace {

using namespace std::chrono_literals;

// This process's error stream, read by a thread. The lines of talk() are checked as they come: each once, in order,
// and the worker never far ahead. The rest is passed over.
class listened {
 public:
  ~listened() { stop(); }

  // The number of lines that came in order.
  std::int64_t stop() {
    pipe_.restore();
    if (thread_.joinable()) thread_.join();
    return lines_;
  }
  std::int64_t most_ahead() const { return most_ahead_; }  // bytes; after stop()

 private:
  void read_all() {
    std::array<char, 65536> some;
    std::string text;
    for (ssize_t got; (got = ::read(pipe_.read_end(), some.data(), some.size())) > 0;) {
      text.append(some.data(), static_cast<std::size_t>(got));
      std::size_t at = 0;
      for (std::size_t newline; (newline = text.find('\n', at)) != text.npos; at = newline + 1)
        take(std::string_view(text).substr(at, newline - at));
      text.erase(0, at);
      look();
    }
  }
  void take(std::string_view line) {
    if (line.starts_with("process ")) {
      worker_ = std::string(line.substr(8));
    } else if (line.starts_with("line ") && std::atoll(line.data() + 5) == lines_) {
      ++lines_;
    }
  }
  // The system counts what a process has written.
  void look() {
    if (worker_.empty()) return;
    std::ifstream counts("/proc/" + worker_ + "/io");
    for (std::string name; counts >> name;)
      if (std::int64_t written = 0; name == "wchar:" && counts >> written)
        most_ahead_ = std::max(most_ahead_, written - 64 * lines_);
  }

  error_pipe pipe_;
  std::string worker_;
  std::int64_t lines_ = 0, most_ahead_ = 0;
  std::thread thread_{[this] { read_all(); }};
};

class error_stream : public leaves_no_child, public ::testing::WithParamInterface<const char*> {
 protected:
  static bool is_python() { return std::string(GetParam()) == "python"; }
  static worker_network<tag> talking() {
    return worker("talk", takes(n), gives(n),
                  is_python() ? std::vector<std::string>{"python3", WEIR_PYTHON_WORKER}
                              : std::vector<std::string>{WEIR_CPP_WORKER});
  }
};

TEST_P(error_stream, of_a_call_that_writes_much_comes_whole_and_in_order_and_never_has_much_of_it_waiting) {
  const std::int64_t lines = (sanitized || is_python() ? 20'000'000 : 200'000'000) / 64;
  listened to;
  const outcome made = results_of(talking(), {lines});
  EXPECT_EQ(to.stop(), lines);
  EXPECT_EQ(made.records.size(), 1u);
  // Two pipes, the piece that is passed on, and a piece that the worker writes.
  EXPECT_GT(to.most_ahead(), 0) << "the system does not count";
  EXPECT_LT(to.most_ahead(), 1'000'000);
}

TEST_P(error_stream, of_many_short_calls_comes_whole_and_in_order) {
  constexpr std::int64_t calls = 500, lines = 40;
  listened to;
  const outcome made = results_of(talking().serial(), std::vector<std::int64_t>(calls, lines));
  EXPECT_EQ(to.stop(), calls * lines);
  EXPECT_EQ(made.records.size(), static_cast<std::size_t>(calls));
}

TEST_P(error_stream, without_end_neither_puts_off_the_bound_of_a_call_nor_a_stop) {
  listened to;
  const outcome made = results_of(talking().within(200ms), {-1});
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_EQ(made.failures[0].kind, failure_kind::timed_out);
  execution run = start(talking(), keeping_on());
  run.send(n = -1);
  run.stop();
  for (const record& r : run) ADD_FAILURE() << r;
}

INSTANTIATE_TEST_SUITE_P(, error_stream, ::testing::Values("cpp", "python"),
                         [](const auto& p) { return std::string(p.param); });

using farewell = leaves_no_child;

TEST_F(farewell, of_a_worker_that_ends_well_comes_whole_also_when_a_pipe_does_not_hold_it) {
  listened to;
  const outcome made = results_of(worker("misbehave", takes(n), gives(n), {WEIR_CPP_WORKER, "--farewell"}), {10});
  EXPECT_EQ(made.records.size(), 1u);
  EXPECT_EQ(to.stop(), lines_of_farewell);
}

}  // namespace
}  // namespace weir::testing
