#include "runtime/machine/kept_threads.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/threads.hpp"

// Threads stay for some seconds after a run, and serve the next. A run meets them as new ones, and a process at rest
// has none.
namespace weir {
namespace {

using namespace testing;
using detail::kept_threads;

class threads_that_are_kept : public gives_all_back {
 protected:
  static detail::started_thread start(std::function<void()> body) {
    return kept_threads::start(machine::local().state()->platform(), std::move(body));
  }
  static int number_of_a_thread() {
    int number = 0;
    start([&] { number = gettid(); }).join();
    return number;
  }
  static bool runs_right(const network& net, int records) {
    execution run = weir::start(net);
    for (int i = 0; i < records; ++i) run.send(n = i);
    run.close();
    int next = 0;
    for (const record& r : run) next += r[n] == next + 1;
    return next == records;
  }
  static network adding() { return box("adding", takes(n), gives(n), plus_one); }
};

TEST_F(threads_that_are_kept, serve_again) {
  const int first = number_of_a_thread();
  EXPECT_NE(first, gettid());
  EXPECT_EQ(number_of_a_thread(), first);
  EXPECT_EQ(kept_threads::idle(), 1);
}

// A thread that it starts serves its function, and is given another, before the call that started it returns.
class slow_to_start final : public test_platform {
 public:
  bool keeps_threads() const override { return true; }
  std::thread start_thread(std::function<void()> body) override {
    std::thread started(std::move(body));
    if (eventually([] { return kept_threads::idle() == 1; }))
      other = kept_threads::start(*this, [this] { was_ended_by_gate = ends.pass(); });
    return started;
  }

  detail::started_thread other;
  gate ends;  // holds the other function
  bool was_ended_by_gate = false;
};

TEST_F(threads_that_are_kept, are_waited_for_until_the_function_that_was_given_has_returned_and_no_longer) {
  slow_to_start system;
  kept_threads::start(system, [] {}).join();
  system.ends.open();
  ASSERT_TRUE(system.other.joinable());
  system.other.join();
  EXPECT_TRUE(system.was_ended_by_gate) << "the first function was waited for until the other had returned";
}

TEST_F(threads_that_are_kept, serve_the_runs_of_a_process_one_after_the_other) {
  std::set<int> numbers;
  const network net = box("notes", takes(n), gives(n), [&](std::int64_t v) {
                        numbers.insert(gettid());
                        return v + 1;
                      }).serial();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(runs_right(net, 3));
  EXPECT_LE(numbers.size(), 4u) << "a run has two workers here at most, and the controller has one thread";
}

TEST_F(threads_that_are_kept, end_when_the_process_is_at_rest) {
  const int before = thread_count();
  EXPECT_TRUE(runs_right(adding(), 10));
  EXPECT_GT(thread_count(), before);
  EXPECT_TRUE(eventually([&] { return thread_count() <= before; })) << "the machine's controller ends, too";
  EXPECT_EQ(kept_threads::idle(), 0);
  EXPECT_TRUE(runs_right(adding(), 10)) << "and later runs start others";
}

std::string blocked_by(int number) {
  std::ifstream from("/proc/self/task/" + std::to_string(number) + "/status");
  for (std::string line; std::getline(from, line);)
    if (line.find("SigBlk:") == 0) return line.substr(line.find_last_of("\t ") + 1);
  return "";
}

// The system gives a signal to any thread that lets it through: to none that waits for a run.
TEST_F(threads_that_are_kept, have_the_signals_of_their_caller_and_none_without_a_function) {
  const int kept = number_of_a_thread();
  sigset_t one, before;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  int blocks = -1;
  start([&] {
    EXPECT_EQ(gettid(), kept);
    sigset_t here;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &here);
    blocks = ::sigismember(&here, SIGUSR2) + 2 * ::sigismember(&here, SIGUSR1);
  }).join();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(blocks, 1);
  if (blocked_by(kept).empty()) GTEST_SKIP() << "the state of a thread cannot be read here";
  EXPECT_TRUE(eventually([&] { return (std::stoull(blocked_by(kept), nullptr, 16) & (1ull << (SIGUSR1 - 1))) != 0; }))
      << blocked_by(kept);
}

TEST_F(threads_that_are_kept, are_bound_to_nothing_of_a_run) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_TRUE(runs_right(adding(), 10));
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto is_bound = [&] {
      cpu_set_t its;
      const int told = sched_getaffinity(std::stoi(entry.path().filename()), sizeof its, &its);
      return told == 0 && !CPU_EQUAL(&its, &all);  // else it has ended
    };
    EXPECT_TRUE(eventually([&] { return !is_bound(); })) << entry.path();
  }
}

TEST_F(threads_that_are_kept, serve_many_short_runs_in_several_threads) {
  constexpr int callers = 4, runs = 100;
  std::atomic<int> right{0};
  std::vector<std::jthread> all;
  for (int i = 0; i < callers; ++i)
    all.emplace_back([&] {
      const network net = adding() >> adding();
      const network minus = box("back", takes(n), gives(n), [](std::int64_t v) { return v - 1; });
      for (int k = 0; k < runs; ++k) right += runs_right(net >> minus, k % 20);
    });
  all.clear();
  EXPECT_EQ(right, callers * runs);
  EXPECT_LE(kept_threads::idle(), 4 * callers) << "as many as were at work at the same time";
}

TEST_F(threads_that_are_kept, are_not_in_a_child_of_fork) {
  EXPECT_TRUE(runs_right(adding(), 10));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(thread_count() == 1 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(runs_right(adding(), 10)) << "the parent goes on";
}

// A box that was short in one run is a long one in the next. It is expected to be short, and soon known to be long.
TEST_F(threads_that_are_kept, serve_a_run_whose_boxes_take_longer_than_before) {
  std::atomic<bool> waits{false};
  std::atomic<int> inside{0}, most{0};
  const network net = box("varies", takes(n), gives(n), [&](std::int64_t v) {
    if (waits) {
      most = std::max(most.load(), ++inside);
      eventually([&] { return inside == 2 || most == 2; });
      --inside;
    }
    return v + 1;
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runs_right(net, 100));
  if (machine::local().size() < 2) GTEST_SKIP() << "on one core there is one worker";
  waits = true;
  execution run = weir::start(net);
  for (int i = 0; i < 8; ++i) run.send(n = i);
  EXPECT_TRUE(eventually([&] { return most == 2; })) << "a second worker joins";
  run.close();
  int next = 0;
  for (const record& r : run) next += r[n] == next + 1;
  EXPECT_EQ(next, 8);
}

}  // namespace
}  // namespace weir
