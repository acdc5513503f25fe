#include <future>
#include <optional>
#include <vector>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/threads.hpp"

namespace weir {
namespace {

using namespace testing;

// Boxes that run networks of their own: a library that uses weir, called from an application that does, too.

class a_nested_run : public gives_all_back {};

std::int64_t sum_of(execution& run) {
  std::int64_t sum = 0;
  for (const record& r : run) sum += r[n];
  return sum;
}

// v -> v + depth, through `depth` nested runs.
network nested(int depth, const options& how) {
  if (depth == 0) return counting("innermost");
  return box("level" + std::to_string(depth), takes(n), gives(n), [=, inner = nested(depth - 1, how)](std::int64_t v) {
    execution run = start(inner, how);
    run.send(n = v);
    run.close();
    return sum_of(run);
  });
}

std::vector<policy> every_policy() {
  return {adaptive{objective::throughput}, adaptive{objective::latency}, equal_shares{}, best_fixed{}};
}

void expect_through(const network& net, const options& how, int records, std::int64_t added) {
  execution run = start(net, how);
  for (int i = 0; i < records; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) ASSERT_EQ(r[n], added + next++);
  EXPECT_EQ(next, records);
}

TEST_F(a_nested_run, gets_the_cores_of_the_box_that_waits_for_it) {
  for (const char* cores : {"core:1 pu:1", "core:2 pu:1"})
    for (const policy& p : every_policy())
      for (const int depth : {1, 2, 3}) {
        options how = on(cores);
        how.policy = p;
        expect_through(nested(depth, how), how, slow ? 3 : 20, 1);
      }
}

TEST_F(a_nested_run, gets_them_on_the_cores_of_this_machine) {
  expect_through(nested(3, {}), {}, slow ? 2 : 10, 1);
  options owned;
  owned.policy = fixed_shares{{"level2", machine::local().size()}};
  options inner;
  expect_through(box("level2", takes(n), gives(n),
                     [net = nested(1, inner)](std::int64_t v) {
                       execution run = start(net);
                       run.send(n = v);
                       run.close();
                       return sum_of(run);
                     }),
                 owned, slow ? 2 : 10, 1);
}

TEST_F(a_nested_run, of_many_records_through_full_streams_ends) {
  for (const char* cores : {"core:1 pu:1", "core:2 pu:1"}) {
    const options how = on(cores, 1);
    const network inner = counting("f") >> counting("g") >> counting("h");
    const network outer = box("outer", takes(n), gives(n), [=](std::int64_t v) {
      options bounded = how;
      bounded.results_capacity = 1;
      execution run = start(inner, bounded);
      std::thread reader;
      std::int64_t sum = 0;
      reader = std::thread([&] { sum = sum_of(run); });
      for (int i = 0; i < 300; ++i) run.send(n = v);  // nearly always into a full network
      run.close();
      reader.join();
      return sum;
    });
    execution run = start(outer, how);
    for (int i = 0; i < 5; ++i) run.send(n = i);
    run.close();
    std::int64_t i = 0;
    for (const record& r : run) EXPECT_EQ(r[n], 300 * (i++ + 3));
    EXPECT_EQ(i, 5);
  }
}

TEST_F(a_nested_run, may_be_waited_for_stopped_and_destroyed_in_the_box) {
  const options how = on("core:1 pu:1");
  const network inner = counting("f");
  enum { wait, stop, destroy };
  for (const int end : {wait, stop, destroy}) {
    const network outer = box("outer", takes(n), gives(n), [=](std::int64_t v) {
      execution run = start(inner, how);
      for (int i = 0; i < 100; ++i) run.send(n = i);
      if (end == wait) {
        run.close();
        run.wait();
      } else if (end == stop) {
        run.stop();
        sum_of(run);
      }
      return v;
    });
    expect_through(outer, how, 10, 0);
  }
}

TEST_F(a_nested_run, that_lives_as_long_as_the_box_is_called_by_every_invocation) {
  const options how = on("core:2 pu:1");
  execution inner = start(counting("f"), how);
  const network outer = box("outer", takes(n), gives(n), [&](std::int64_t v) {
                          inner.send(n = v);
                          auto result = inner.begin();
                          return (*result)[n];
                        }).serial();
  expect_through(outer, how, 500, 1);
  inner.close();
}

// The runtime cannot see that the box waits for these threads, so it keeps the box's cores.
TEST_F(a_nested_run, in_threads_that_a_box_starts_is_let_on_beside_it) {
  const options how = on("core:1 pu:1");
  const network outer = box("outer", takes(n), gives(n), [inner = nested(1, how), how](std::int64_t v) {
    const auto one = [&] {
      execution run = start(inner, how);
      run.send(n = v);
      run.close();
      return sum_of(run);
    };
    auto other = std::async(std::launch::async, one);
    return other.get();
  });
  expect_through(outer, how, 3, 1);
}

TEST_F(a_nested_run, in_parallel_tasks_of_a_box_ends) {
  const network inner = counting("f");
  const network outer = box("outer", takes(n), gives(n), [=](std::int64_t v) {
    std::atomic<std::int64_t> all{0};
    as_tbb_tasks(4, [&](int) {
      execution run = start(inner);
      run.send(n = v);
      run.close();
      all += sum_of(run);
    });
    return all.load();
  });
  options owned;
  owned.policy = fixed_shares{{"outer", machine::local().size(), 1}};
  execution run = start(outer, owned);
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  std::int64_t i = 0;
  for (const record& r : run) EXPECT_EQ(r[n], 4 * (i++ + 1));
  EXPECT_EQ(i, 3);
}

TEST_F(a_nested_run, is_not_held_up_by_others_that_wait_for_their_turn_at_a_box) {
  // While one invocation of `limited` waits for a run, others wait for it on the other core, which is given back, too.
  const options how = on("core:2 pu:1");
  const network inner = counting("f");
  const network limited = box("limited", takes(n), gives(n), [=](std::int64_t v) {
                            execution run = start(inner, how);
                            run.send(n = v);
                            run.close();
                            return sum_of(run);
                          }).serial();
  const network outer = (counting("left") >> limited) | (counting("right") >> limited);
  execution run = start(split(limited, k) >> split(limited, k), how);
  for (int i = 0; i < 60; ++i) run.send(n = i, k = i % 4);
  run.close();
  std::int64_t count = 0, sum = 0;
  for (const record& r : run) ++count, sum += r[n];
  EXPECT_EQ(count, 60);
  EXPECT_EQ(sum, 60 * 59 / 2 + 2 * 60);
}

// Sends one record after the other, each when the one before has come out.
std::int64_t one_by_one(const network& net, const options& how, int records) {
  execution run = start(net, how);
  std::optional<execution::iterator> at;
  std::int64_t sum = 0;
  for (int i = 0; i < records; ++i) {
    run.send(n = i);
    at ? void(++*at) : void(at.emplace(run.begin()));
    sum += (**at)[n];
  }
  run.close();
  return sum;
}

// The ledger cannot see that the holder of the only core waits, here for a thread that it started. It must find out
// once, not at each of the hand-overs between the sender, the run and the reader: at 100 ms each they would take
// minutes.
TEST_F(a_nested_run, of_a_box_that_joins_a_thread_waits_for_the_core_once) {
  constexpr int records = slow ? 1000 : 3000;
  const options how = on("core:1 pu:1");
  execution run = start(box("outer", takes(n), gives(n),
                            [=](std::int64_t) {
                              return std::async(std::launch::async, one_by_one, counting("inner"), how, records).get();
                            }),
                        how);
  run.send(n = 0);
  run.close();
  EXPECT_EQ(sum_of(run), std::int64_t{records} * (records + 1) / 2);
}

// Each is asked to release the core as soon as it has it, since others wait. It must work before it does, or the core
// goes round and round: four runs of a hundred records did not end within a minute.
TEST_F(a_nested_run, beside_others_on_one_core_works_each_time_it_has_the_core) {
  constexpr int records = slow ? 100 : 500;
  const options how = on("core:1 pu:1");
  std::vector<std::future<std::int64_t>> runs;
  for (int i = 0; i < 16; ++i) runs.push_back(std::async(std::launch::async, one_by_one, counting("f"), how, records));
  for (auto& one : runs) EXPECT_EQ(one.get(), std::int64_t{records} * (records + 1) / 2);
}

}  // namespace
}  // namespace weir
