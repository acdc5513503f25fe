#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/work.hpp"

// A sender that brings a short record into an idle network has it run on the sender's own core, which is awake.
namespace weir {
namespace {

using namespace testing;
using namespace std::chrono_literals;

// Three cores. The test sets which of them the caller is on. The clock advances a little on each read, and otherwise
// when the test says so, so invocation times do not depend on the load of this machine.
class three_cores final : public test_platform {
 public:
  three_cores() : test_platform("core:3 pu:1") {}
  int current_core() const noexcept override { return here.load(); }
  double now() const noexcept override { return 1e-9 * static_cast<double>(nanoseconds_.fetch_add(50)); }
  void pass(std::chrono::nanoseconds span) const { nanoseconds_.fetch_add(span.count()); }
  std::atomic<int> here{-1};

 private:
  mutable std::atomic<std::int64_t> nanoseconds_{1'000'000'000};
};

class a_wake_up_of_a_worker : public gives_all_back {
 public:
  // Sends records with gaps, each from the next core, and reads each result. Returns the longest sequence of records
  // that ran on their sender's core. It stops after a sequence of `enough` or after `records`. A worker that stayed on
  // one core would have a sequence of one, and so would a worker that chose any free core. `later`: the time of a
  // second box, in another region.
  int most_in_a_row(std::chrono::nanoseconds work, std::chrono::nanoseconds later, int enough, int records) {
    const auto cores = std::make_shared<three_cores>();
    options o;
    o.machine = machine(std::make_shared<detail::machine_state>(cores));
    o.policy = fixed_shares(std::vector<fixed_share>{});  // the shared group has all three
    std::atomic<int> ran_on{-1};
    const auto busy = [&](std::chrono::nanoseconds span) {
      return [&ran_on, cores, span](std::int64_t v) {
        ran_on = detail::run_cores::core_here();
        cores->pass(span);
        return v + 1;
      };
    };
    execution run = start(
        box("f", takes(n), gives(n), busy(work)).serial() >> box("g", takes(n), gives(n), busy(later)).width(2), o);
    int row = 0, longest = 0;
    for (int i = 0; i < records && longest < enough; ++i) {
      cores->pass(std::chrono::microseconds(150));
      spend(20'000);  // until the worker is idle
      cores->here = i % 3;
      run.send(n = i);
      EXPECT_EQ((*run.begin())[n], i + 2);
      row = ran_on == cores->here ? row + 1 : 0;
      longest = std::max(longest, row);
    }
    return longest;
  }
};

TEST_F(a_wake_up_of_a_worker, is_on_the_senders_core_where_his_record_takes_less_than_a_wake_up) {
  EXPECT_EQ(most_in_a_row(0ns, 0ns, 15, 100'000), 15);
}

TEST_F(a_wake_up_of_a_worker, leaves_the_senders_core_to_him_when_what_he_brings_is_long) {
  EXPECT_LT(most_in_a_row(40us, 0ns, 15, 300), 15);
}

TEST_F(a_wake_up_of_a_worker, leaves_the_senders_core_to_him_when_it_would_go_on_to_what_is_long) {
  EXPECT_LT(most_in_a_row(0ns, 2ms, 15, 300), 15);
}

// With a real-time policy, a thread that does not sleep lets no other thread run on its core.
TEST(a_senders_core, is_known_unless_no_other_thread_would_get_on_there) {
  const auto here = detail::local_platform();
  std::thread sender([&] {
    for (int core = 0; core < here->cores()->size(); ++core) {
      if (!here->bind(core_set{core})) continue;
      EXPECT_EQ(here->current_core(), core);
    }
    const sched_param least{sched_get_priority_min(SCHED_FIFO)};
    if (sched_setscheduler(0, SCHED_FIFO, &least) != 0) return;  // without the right to do so
    EXPECT_EQ(here->current_core(), -1);
  });
  sender.join();
}

}  // namespace
}  // namespace weir
