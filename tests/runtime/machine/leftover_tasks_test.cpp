#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
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

// The user asked that no other task runs on this thread meanwhile.
TEST_F(tasks_left_over, do_not_run_inside_isolation_that_emits) {
  std::atomic<bool> is_inside{false};
  std::atomic<int> inside{0};
  const network emits = box("first", takes(n), gives(n), [&](std::int64_t count, emitter& out) {
    group_->run([&] {
      inside += is_inside;
      ++done_;
    });
    tbb::this_task_arena::isolate([&] {
      is_inside = true;
      for (int i = 0; i < count; ++i) out(n = i);
      is_inside = false;
    });
  });
  execution run = start(emits >> box("second", takes(n), gives(n), [](std::int64_t v) { return v; }),
                        {.policy = fixed_shares{{"first", 1}}, .capacity = 4});
  for (int i = 0; i < 10; ++i) run.send(n = records);
  run.close();
  EXPECT_EQ(all_of(run).size(), std::size_t{10 * records});
  group_->wait();
  EXPECT_EQ(done_, 10);
  EXPECT_EQ(inside, 0);
}

// The user's code waits, for room or for another run, in a place from which the lane's arena is not to be reached.
struct place {
  std::string name;
  std::function<void(const std::function<void()>&)> call;
};

class a_wait_ends : public tasks_left_over, public ::testing::WithParamInterface<place> {
 protected:
  static constexpr int many = 100;  // for each of few records

  // Emits from inside the place.
  static void emit(emitter& out) {
    GetParam().call([&] {
      for (int i = 0; i < many; ++i) out(n = i);
    });
  }
  static network slow() {
    return box("slow", takes(n), gives(n), [](std::int64_t v) {
      std::this_thread::yield();
      return v;
    });
  }
  // The number of results of a run whose streams hold 4 records.
  static std::size_t results(const network& net, int count) {
    execution run = start(net, {.capacity = 4});
    std::jthread sender([&] {
      for (int i = 0; i < count; ++i) run.send(n = i);
      run.close();
    });
    return all_of(run).size();
  }
};

TEST_P(a_wait_ends, of_a_box_that_emits_into_a_full_stream) {
  const network emits = box("emits", takes(n), gives(n), [](std::int64_t, emitter& out) { emit(out); });
  EXPECT_EQ(results(emits >> slow(), 5), std::size_t{5 * many});
}

TEST_P(a_wait_ends, of_a_source_that_emits_into_a_full_stream) {
  execution run = start(source("emits", gives(n), [](emitter& out) { emit(out); }) >> slow(), {.capacity = 4});
  EXPECT_EQ(all_of(run).size(), std::size_t{many});
}

TEST_P(a_wait_ends, of_a_folds_end_that_emits_into_a_full_stream) {
  const network emits = fold(
      "emits", takes(n), gives(n), 0, [](int& sum, std::int64_t) { ++sum; }, [](int&, emitter& out) { emit(out); });
  EXPECT_EQ(results(emits >> slow(), 5), std::size_t{many});
}

TEST_P(a_wait_ends, of_a_box_that_sends_to_another_full_run) {
  execution other = start(slow(), {.capacity = 2});
  std::size_t got = 0;
  std::jthread reader([&] { got = all_of(other).size(); });
  EXPECT_EQ(results(box("sends", takes(n), gives(n),
                        [&](std::int64_t v) {
                          GetParam().call([&] {
                            for (int i = 0; i < many; ++i) other.send(n = i);
                          });
                          return v;
                        }),
                    5),
            std::size_t{5});
  other.close();
  reader.join();
  EXPECT_EQ(got, std::size_t{5 * many});
}

TEST_P(a_wait_ends, of_a_box_that_runs_a_network_of_its_own) {
  EXPECT_EQ(results(box("runs", takes(n), gives(n),
                        [](std::int64_t v) {
                          GetParam().call([&] {
                            execution own = start(slow());
                            for (int i = 0; i < 20; ++i) own.send(n = i);
                            own.close();
                            EXPECT_EQ(all_of(own).size(), std::size_t{20});
                          });
                          return v;
                        }),
                    20),
            std::size_t{20});
}

// The next wait outside of the place runs what was left.
TEST_P(a_wait_ends, and_tasks_that_were_left_over_run_afterwards) {
  const network emits = box("emits", takes(n), gives(n), [this](std::int64_t, emitter& out) {
    group_->run([this] { ++done_; });
    emit(out);
  });
  EXPECT_EQ(results(emits >> slow(), 5), std::size_t{5 * many});
  group_->wait();
  EXPECT_EQ(done_, 5);
}

std::vector<place> places() {
  const auto in_arena = [](int slots) {
    return [slots](const std::function<void()>& work) { tbb::task_arena(slots).execute(work); };
  };
  const auto isolated = [](const std::function<void()>& work) { tbb::this_task_arena::isolate(work); };
  return {
      {"inside_isolate", isolated},
      {"inside_isolate_inside_isolate", [=](const auto& work) { isolated([&] { isolated(work); }); }},
      {"inside_an_arena_of_one_slot", in_arena(1)},
      {"inside_an_arena_of_two_slots", in_arena(2)},
      {"inside_isolate_inside_an_arena", [=](const auto& work) { in_arena(1)([&] { isolated(work); }); }},
      {"inside_an_arena_inside_isolate", [=](const auto& work) { isolated([&] { in_arena(1)(work); }); }},
      {"inside_a_task",
       [](const auto& work) {
         tbb::task_group tasks;
         tasks.run_and_wait(work);
       }},
  };
}
INSTANTIATE_TEST_SUITE_P(places, a_wait_ends, ::testing::ValuesIn(places()),
                         [](const auto& given) { return given.param.name; });

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
