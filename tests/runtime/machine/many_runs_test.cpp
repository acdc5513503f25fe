#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/threads.hpp"

// The cost of an idle run for the other runs of its machine.
namespace weir::many_runs_test {
namespace {

using namespace testing;

class many_runs : public gives_all_back {};

struct idle_run final : detail::machine_user {
  explicit idle_run(detail::machine_state& on) : machine(on) {
    machine.join(*this);
    machine.wake_controller(*this);
  }
  ~idle_run() { machine.leave(*this); }
  void set_partition(core_set cores) noexcept override {
    ++changes;
    part = std::move(cores);
    machine.wake_controller(*this);
  }
  bool is_step_requested() const override {
    ++visits;
    return false;
  }
  void step_or_end() noexcept override {}
  bool watch(const detail::process_threads&) override { return false; }
  void see_to_messages() noexcept override { ++seen; }
  std::stop_source freeze() noexcept override { return {}; }
  void thaw() noexcept override {}
  const void* identity() const noexcept override { return this; }

  detail::machine_state& machine;
  core_set part;  // written under the machine's lock by joining and leaving runs, here all of one thread
  int changes = 0;
  mutable std::atomic<int> visits{0};
  std::atomic<int> seen{0};
};

void wait_for(const std::function<bool()>& holds) { EXPECT_TRUE(eventually(holds)); }

// With more runs than cores, another one that comes or goes changes the cores of one run at most.
TEST_F(many_runs, are_not_moved_by_others_that_come_and_go) {
  const machine on = machine::synthetic("core:4 pu:1");
  std::vector<std::unique_ptr<idle_run>> all;
  const auto changes = [&] {
    int sum = 0;
    for (const auto& run : all) sum += run->changes;
    return sum;
  };
  for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<idle_run>(*on.state()));
  for (int i = 0; i < 100; ++i) {
    const int before = changes();
    all.push_back(std::make_unique<idle_run>(*on.state()));
    EXPECT_EQ(changes() - before, 1) << "the new one gets its part";
  }
  std::vector<int> on_core(4);
  for (const auto& run : all) {
    ASSERT_EQ(run->part.size(), 1);
    ++on_core[static_cast<std::size_t>(run->part[0])];
  }
  for (const int runs : on_core) EXPECT_EQ(runs, 26);
  for (int i = 0; i < 100; ++i) {
    const int before = changes() - all[7 * all.size() / 11]->changes;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(7 * all.size() / 11));
    EXPECT_LE(changes() - before, 1);
  }
  for (const auto& run : all) EXPECT_EQ(run->part.size(), 1);
}

// The controller's thread visits the run that calls it, and no other.
TEST_F(many_runs, are_visited_when_they_call) {
  const machine on = machine::synthetic("core:4 pu:1");
  std::vector<std::unique_ptr<idle_run>> all;
  for (int i = 0; i < 50; ++i) all.push_back(std::make_unique<idle_run>(*on.state()));
  for (const auto& run : all) wait_for([&] { return run->seen > 0; });
  for (int i = 0; i < 20; ++i) {  // until each call to visit of the beginning is done, one run calls and is visited
    const int before = all[3]->seen;
    on.state()->wake_controller(*all[3]);
    wait_for([&] { return all[3]->seen > before; });
  }
  int others = 0;
  for (const auto& run : all) others += run->visits;
  others -= all[3]->visits;
  for (int i = 0; i < 100; ++i) {
    const int before = all[3]->seen;
    on.state()->wake_controller(*all[3]);
    wait_for([&] { return all[3]->seen > before; });
  }
  int now = 0;
  for (const auto& run : all) now += run->visits;
  now -= all[3]->visits;
  EXPECT_EQ(now, others);
}

// Threads that wait for work are shared by all: of many idle runs most have none, and get one with the next record.
TEST_F(many_runs, keep_few_threads) {
  const int before = thread_count();
  if (before < 0) GTEST_SKIP() << "the threads of the process cannot be counted here";
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  const network net = box("a", takes(n), gives(n), plus_one) >> box("b", takes(n), gives(n), plus_one);
  constexpr int count = 200, most = 64 + 4 * 2 + 8;  // those that may wait, and the machine's own
  std::vector<execution> all;
  for (int i = 0; i < count; ++i) all.push_back(start(net, o));
  for (int round = 0; round < 3; ++round) {
    for (execution& run : all) {
      run.send(n = round);
      const auto it = run.begin();
      EXPECT_EQ((*it)[n], round + 2);
    }
    wait_for([&] { return thread_count() <= before + most; });
  }
  for (execution& run : all) run.close();
  for (execution& run : all) {
    run.wait();
    EXPECT_EQ(run.report().results, 3u);
  }
}

}  // namespace
}  // namespace weir::many_runs_test
