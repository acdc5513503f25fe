#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"

// Tasks that an invocation leaves to oneTBB run, though a lane of one core is an arena that no worker enters for them.
// And weir keeps nothing of oneTBB after the last run.
namespace weir {
namespace {

using namespace testing;

class tasks_left_over : public gives_all_back {
 protected:
  static constexpr int records = 200;

  // A box that leaves one task to the group for each record.
  network leaves_one() {
    return box("first", takes(n), gives(n), [this](std::int64_t v) {
      group_->run([this] { ++done_; });
      return v;
    });
  }
  void run(const network& net, options o = {}) {
    execution run = start(net, std::move(o));
    std::jthread sender([&] {
      for (int i = 0; i < records; ++i) run.send(n = i);
      run.close();
    });
    EXPECT_EQ(all_of(run).size(), std::size_t{records});
  }

  std::atomic<int> done_{0};
  const std::unique_ptr<tbb::task_group> group_ = std::make_unique<tbb::task_group>();  // its destructor may throw
};

// A wait for the group, in a thread outside the run, ends.
TEST_F(tasks_left_over, run_in_lanes_of_one_core_and_of_all) {
  for (const int lanes : {machine::local().size(), 1}) {
    run(leaves_one(), {.policy = fixed_shares{{"first", machine::local().size(), lanes}}});
    group_->wait();
    EXPECT_EQ(done_.exchange(0), records);
  }
}

TEST_F(tasks_left_over, by_a_box_that_runs_where_others_do_run) {
  run(leaves_one() >> box("behind", takes(n), gives(n), [](std::int64_t v) { return v; }));
  group_->wait();
  EXPECT_EQ(done_, records);
}

// The run still exists, and may get more records.
TEST_F(tasks_left_over, run_when_the_lane_has_nothing_to_do) {
  execution run = start(leaves_one());
  run.send(n = 1);
  EXPECT_TRUE(eventually([&] { return done_ == 1; }));
  group_->wait();
}

// A sender that never pauses keeps the lane busy until a task has run.
TEST_F(tasks_left_over, run_while_the_lane_is_busy) {
  execution run = start(leaves_one() >> box("end", takes(n), gives_none, [](std::int64_t) {}));
  while (done_ == 0) run.send(n = 1);
  run.close();
  run.wait();
  group_->wait();
}

TEST_F(tasks_left_over, are_waited_for_in_a_later_box_in_another_lane) {
  const network waits = box("second", takes(n), gives(n), [this](std::int64_t v) {
    group_->wait();
    return v;
  });
  if (machine::local().size() > 1) run(leaves_one() >> waits, {.policy = fixed_shares{{"first", 1}, {"second", 1}}});
  run(leaves_one() >> waits);
  EXPECT_EQ(done_ % records, 0);
}

// The first box is inside its only invocation, and waits for room that the second makes after its wait.
TEST_F(tasks_left_over, run_while_an_invocation_waits_for_room) {
  const network emits = box("first", takes(n), gives(n), [this](std::int64_t count, emitter& out) {
    for (int i = 0; i < count; ++i) {
      group_->run([this] { ++done_; });
      out(n = i);
    }
  });
  const network waits = box("second", takes(n), gives(n), [this](std::int64_t v) {
    const int seen = done_;
    if (seen <= v) group_->wait();
    return v;
  });
  if (machine::local().size() == 1) GTEST_SKIP() << "two lanes need two cores";
  execution run = start(emits >> waits, {.policy = fixed_shares{{"first", 1}, {"second", 1}}, .capacity = 4});
  run.send(n = records);
  run.close();
  EXPECT_EQ(all_of(run).size(), std::size_t{records});
  EXPECT_EQ(done_, records);
}

// A worker comes for a task that is enqueued, also into the arena of a lane of one core. It is bound to that core.
TEST_F(tasks_left_over, that_are_enqueued_run_on_the_cores_of_the_lane) {
  std::mutex mutex;
  std::set<std::vector<int>> granted, seen;
  const network enqueues = box("first", takes(n), gives(n), [&](const grant& g, std::int64_t v) {
    {
      const std::lock_guard lock(mutex);
      granted.insert(g.cpus());
    }
    tbb::this_task_arena::enqueue([&] {
      const std::lock_guard lock(mutex);
      seen.insert(affinity());
      ++done_;
    });
    return v;
  });
  const int cores = machine::local().size();
  execution run = start(enqueues, {.policy = fixed_shares{{"first", cores, cores}}});
  for (int i = 0; i < records; ++i) run.send(n = i);
  EXPECT_TRUE(eventually([&] { return done_ == records; }));
  const std::lock_guard lock(mutex);
  for (const std::vector<int>& cpus : seen) EXPECT_TRUE(granted.contains(cpus));
}

TEST_F(tasks_left_over, of_a_flow_graph_run) {
  tbb::flow::graph graph;
  tbb::flow::function_node<int, int> node(graph, tbb::flow::unlimited, [this](int k) {
    ++done_;
    return k;
  });
  run(box("first", takes(n), gives(n), [&](std::int64_t v) {
    node.try_put(static_cast<int>(v));
    return v;
  }));
  graph.wait_for_all();
  EXPECT_EQ(done_, records);
}

// Tasks that an invocation's loop runs are not those that an earlier one left. An emit inside a loop that has to wait
// for room must not run the loop's other bodies on its stack.
TEST_F(tasks_left_over, do_not_run_inside_a_loop_that_emits) {
  std::atomic<int> depth{0}, deepest{0};
  const network emits = box("first", takes(n), gives(n), [&](std::int64_t count, emitter& out) {
    tbb::parallel_for(0, static_cast<int>(count), [&](int i) {
      deepest = std::max(deepest.load(), ++depth);
      out(n = i);
      --depth;
    });
  });
  execution run = start(emits >> box("second", takes(n), gives(n), [](std::int64_t v) { return v; }),
                        {.policy = fixed_shares{{"first", 1}}, .capacity = 4});
  run.send(n = records);
  run.close();
  EXPECT_EQ(all_of(run).size(), std::size_t{records});
  EXPECT_EQ(deepest, 1);
}

// A worker that was in an arena of the last run is bound to no core of it afterwards.
TEST_F(tasks_left_over, leave_no_worker_bound_after_the_last_run) {
  const std::vector<int> all = affinity();
  for (int i = 0; i < 5; ++i) {
    run(box("loop", takes(n), gives(n),
            [](std::int64_t v) {
              tbb::parallel_for(0, 100, [](int) {});
              return v;
            }),
        {.policy = fixed_shares{{"loop", machine::local().size(), 1}}});
    std::atomic<int> bound{0};
    tbb::parallel_for(0, 10000, [&](int) { bound += affinity() != all; });
    EXPECT_EQ(bound, 0);
  }
}

TEST_F(tasks_left_over, leave_nothing_that_keeps_onetbb_from_ending) {
  EXPECT_FALSE(machine::local().is_in_use());
  for (int i = 0; i < 2; ++i) {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    {
      execution run = start(box("loop", takes(n), gives(n), [](std::int64_t v) {
        tbb::parallel_for(0, 100, [](int) {});
        return v;
      }));
      EXPECT_TRUE(machine::local().is_in_use());
      std::jthread([&] {
        for (int k = 0; k < records; ++k) run.send(n = k);
        run.close();
      }).join();
      run.wait();
    }
    EXPECT_FALSE(machine::local().is_in_use());
    EXPECT_TRUE(tbb::finalize(handle, std::nothrow));
  }
  start_all_tbb_workers();  // as the other tests count them
}

}  // namespace
}  // namespace weir
