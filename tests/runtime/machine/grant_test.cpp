#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Boxes on this machine's cores check where they run: affinity masks and core numbers from the system.
namespace weir {
namespace {

using namespace testing;

class a_grant : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    if (machine::local().state()->binding_refused().load()) GTEST_SKIP() << "this system refuses to bind threads";
  }

  void expect_watched(witness& w, const policy& p, int records) {
    options o;
    o.policy = p;
    execution run = start(watched(w), o);
    sender_thread sender(run, records);
    std::int64_t next = 0;
    for (const record& r : run) EXPECT_EQ(r[n], 1 + next++);
    sender.join();
    EXPECT_EQ(next, records);
    w.expect_no_violation();
  }
};

constexpr int enough = slow ? 500 : 3000;
int local_cores() { return machine::local().size(); }

TEST_F(a_grant, of_an_owner_is_where_its_box_and_its_parallel_loops_run) {
  witness w;
  expect_watched(w, fixed_shares{{"second", local_cores()}}, enough);
  EXPECT_TRUE(w.saw_grant_of(local_cores()));
}

TEST_F(a_grant, of_each_owner_is_its_own) {
  if (local_cores() < 2) GTEST_SKIP() << "one core";
  witness w;
  expect_watched(w, fixed_shares{{"first", 1}, {"second", local_cores() - 1}}, enough);
}

TEST_F(a_grant, of_each_lane_is_its_own) {
  witness w;
  expect_watched(w, fixed_shares{{"second", local_cores(), local_cores()}}, enough);
  EXPECT_TRUE(w.saw_grant_of(1));
}

// One lane on the first two cores, with the shared group on the second.
struct second_core_is_shared : allocation_rule {
  std::string name() const override { return "second core is shared"; }
  allotment decide(const system_view&) const override { return {{{core_set{0, 1}, 1}}, core_set{1}}; }
};

TEST_F(a_grant, has_its_own_thread_on_the_core_of_the_shared_group_and_a_worker_on_the_other) {
  if (local_cores() < 2) GTEST_SKIP() << "one core";
  options o;
  o.policy = second_core_is_shared{};
  std::array<std::atomic<int>, 2> looks{}, elsewhere{};
  const std::shared_ptr<const topology> all = machine::local().state()->cores();
  const auto look = [&] {
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    const auto& units = (*all)[slot == 0 ? 1 : 0].os_units;
    ++looks.at(slot);
    if (std::find(units.begin(), units.end(), sched_getcpu()) == units.end()) ++elsewhere.at(slot);
  };
  execution run = start(box("f", takes(n), gives_none,
                            [&](std::int64_t) {
                              tbb::parallel_for(0, 8, [&](int) {
                                look();
                                spend(2000);
                              });
                            }),
                        o);
  for (int i = 0; i < enough || (looks[1] == 0 && i < 100 * enough); ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_GT(looks[0], 0);
  EXPECT_GT(looks[1], 0) << "no worker ever came";
  EXPECT_EQ(elsewhere[0], 0) << "of " << looks[0] << " looks";
  EXPECT_EQ(elsewhere[1], 0) << "of " << looks[1] << " looks";
}

TEST_F(a_grant, follows_the_adaptive_policy) {
  witness w;
  expect_watched(w, adaptive{objective::throughput}, enough);
}

TEST_F(a_grant, is_never_shared_while_grants_change_at_random) {
  for (std::uint64_t seed = 1; seed <= (slow ? 2 : 4); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    witness w;
    options o;
    o.policy = random_shares(seed);
    detail::run_state run(watched(w), o);
    {
      const grant_changer changer(run, o.machine, slow ? 50 : 200, seed);
      std::thread sender([&] {
        for (int i = 0; i < 100 || !changer.is_done(); ++i) run.send(record{n = i});
        run.close();
      });
      std::int64_t next = 0;
      for (record r; run.next(r);) EXPECT_EQ(r[n], 1 + next++);
      sender.join();
    }
    w.expect_no_violation();
  }
}

TEST_F(a_grant, is_never_shared_between_two_runs_on_one_machine) {
  witness w;
  execution one = start(watched(w)), other = start(watched(w));
  std::thread sender([&] {
    for (int i = 0; i < enough; ++i) {
      one.send(n = i);
      other.send(n = i);
    }
    one.close();
    other.close();
  });
  std::size_t others = 0;
  std::thread reader([&] { others = all_of(other).size(); });
  EXPECT_EQ(all_of(one).size(), static_cast<std::size_t>(enough));
  reader.join();
  sender.join();
  EXPECT_EQ(others, static_cast<std::size_t>(enough));
  w.expect_no_violation();
}

// A second run that does nothing takes its part of the cores; the runs there before learn of it and continue.
TEST_F(a_grant, goes_on_changing_for_a_run_beside_an_idle_one) {
  if (local_cores() < 2) GTEST_SKIP() << "one core";
  witness w;
  execution busy = start(watched(w));
  const execution idle = start(watched(w));
  std::atomic<bool> enough_sent{false};
  std::thread sender([&] {
    for (int i = 0; i < 200 || !enough_sent; ++i) busy.send(n = i);
    busy.close();
  });
  std::thread reader([&] { all_of(busy); });
  EXPECT_TRUE(eventually([&] { return busy.report().decisions.size() >= 2; }, std::chrono::seconds(10)))
      << "the run never gave up the cores that the newcomer was leased";
  enough_sent = true;
  reader.join();
  sender.join();
  w.expect_no_violation();
}

TEST_F(a_grant, is_inherited_by_the_threads_that_a_box_starts) {
  std::atomic<bool> same{true};
  options o;
  o.policy = fixed_shares{{"f", local_cores()}};
  execution run = start(box("f", takes(n), gives(n),
                            [&](const grant& g, std::int64_t v) {
                              std::thread([&] {
                                auto sorted = g.cpus();
                                std::sort(sorted.begin(), sorted.end());
                                if (affinity() != sorted) same = false;
                              }).join();
                              return v;
                            }),
                        o);
  for (int i = 0; i < 20; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 20u);
  EXPECT_TRUE(same);
}

TEST_F(a_grant, leaves_the_threads_of_the_caller_alone) {
  const auto before = affinity();
  witness w;
  expect_watched(w, adaptive{objective::throughput}, 100);
  EXPECT_EQ(affinity(), before);
  // oneTBB's workers, bound while they served a lane, serve the caller's own loops unbound afterwards.
  std::atomic<int> bound{0};
  tbb::parallel_for(0, 1000, [&](int) {
    if (affinity() != before) ++bound;
  });
  EXPECT_EQ(bound, 0);
}

TEST_F(a_grant, on_a_synthetic_machine_binds_nobody) {
  const auto before = affinity();
  std::atomic<int> bound{0}, sizes{0};
  options o;
  o.machine = machine::synthetic("package:2 core:4 pu:2");
  o.policy = fixed_shares{{"f", 8}};
  execution run = start(box("f", takes(n), gives(n),
                            [&](const grant& g, std::int64_t v) {
                              if (affinity() != before || !g.cpus().empty()) ++bound;
                              sizes += g.size();
                              return v;
                            }),
                        o);
  for (int i = 0; i < 20; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 20u);
  EXPECT_EQ(bound, 0);
  EXPECT_EQ(sizes, 20 * 8);
}

}  // namespace
}  // namespace weir
