#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

#include <weir/weir.hpp>
#include "runtime/machine/proc_task.hpp"
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"
#include "tests/support/sanitizers.hpp"

// A signal whose handler was set without SA_RESTART ends each system call that waits. No record is lost by it.
namespace weir::testing {
namespace {

using namespace std::chrono_literals;

std::atomic<int> handled{0};

// While it exists, a thread sends a signal to all others of this process without end.
class interruptions {
 public:
  interruptions() {
    handled = 0;
    struct sigaction with = {};
    with.sa_handler = [](int) { handled.fetch_add(1, std::memory_order_relaxed); };
    sigaction(SIGUSR1, &with, &before_);
    thread_ = std::jthread(&interrupt_all);
  }
  ~interruptions() {
    thread_ = {};  // joined before the handler goes
    sigaction(SIGUSR1, &before_, nullptr);
  }
  interruptions(const interruptions&) = delete;

 private:
  static void interrupt_all(const std::stop_token& stop) {
    const int own = gettid();
    while (!stop.stop_requested()) {
      for (const int thread : detail::numbers_of_threads())
        if (thread != own) syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
      std::this_thread::yield();
    }
  }

  struct sigaction before_ {};
  std::jthread thread_;
};

class interrupted : public leaves_no_child {};

std::string text_of(std::int64_t i) {
  return std::string(i % 10 == 0 ? 300'000 : 10, static_cast<char>('a' + i % 26)) + std::to_string(i);
}

TEST_F(interrupted, commands_workers_and_hosts_give_a_result_for_each_record) {
  constexpr int least = slow ? 500 : 5000;  // signals that were handled in a run
  const network all = command("cat", takes(text), gives(text), {"cat"}).input(text).output(text).within(10min) >>
                      worker("pass there", takes(text), gives(text), {WEIR_CPP_WORKER}).within(10min) >>
                      isolated(pass()).within(10min);
  for (int round = 0; round < 3; ++round) {
    const interruptions meanwhile;
    execution run = start(all, keeping_on());
    std::int64_t sent = 0, came = 0;
    const auto send_some = [&] {
      for (int i = 0; i < 20; ++i, ++sent) run.send(text = text_of(sent), n = sent);
    };
    send_some();
    for (auto result = run.begin(); result != run.end(); ++result) {
      EXPECT_EQ((*result)[text], text_of((*result)[n]));
      if (++came < sent) continue;
      if (sent < 100 || handled < least)
        send_some();
      else
        run.close();
    }
    EXPECT_EQ(came, sent);
    for (const failure& f : run.errors()) ADD_FAILURE() << to_string(f);
  }
}

}  // namespace
}  // namespace weir::testing
