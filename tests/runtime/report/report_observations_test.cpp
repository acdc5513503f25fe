#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "tests/runtime/report/a_report.hpp"
#include "tests/support/sanitizers.hpp"

// Each invocation of a component with cores of its own is observed once, with the time of its box alone.
namespace weir::report_test {
namespace {

void expect_every_invocation_once(const std::vector<observation>& all, int count) {
  ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
  std::map<double, int> by_x;
  for (const observation& o : all) {
    ++by_x[o.x];
    EXPECT_GE(o.start, 0);
    EXPECT_GT(o.seconds, 0);
    EXPECT_GE(o.cores, 1);
    EXPECT_GE(o.width, 1);
  }
  EXPECT_EQ(by_x.size(), static_cast<std::size_t>(count)) << "each input has its own x";
}

TEST_F(a_report, gives_every_invocation_of_an_owner_to_on_observation_exactly_once) {
  constexpr int count = slow ? 5000 : 20000;  // more than a worker keeps for itself
  for (const int lanes : {1, 3}) {
    seen all;
    options o = four_cores();
    o.policy = fixed_shares{{"f", 3, lanes}};
    collect_into(all, o);
    execution run = start(box("f", takes(n), gives(n), [](std::int64_t v) { return v; })
                              .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}),
                          o);
    for (int i = 0; i < count; ++i) run.send(n = i);
    run.close();
    run.wait();
    EXPECT_EQ(of(run.report(), "f").observations, static_cast<std::uint64_t>(count));
    const std::lock_guard lock(all.mutex);
    expect_every_invocation_once(all.by_component["f"], count);
    for (const observation& each : all.by_component["f"]) EXPECT_EQ(each.cores, 3 / lanes);
  }
}

TEST_F(a_report, gives_the_last_observations_also_to_who_asks_nothing) {
  seen all;
  {
    options o = four_cores();
    o.policy = fixed_shares{{"f", 3}};
    collect_into(all, o);
    execution run = start(box("f", takes(n), gives(n), plus_one)
                              .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}),
                          o);
    for (int i = 0; i < 500; ++i) run.send(n = i);
    run.close();
    run.wait();
  }
  expect_every_invocation_once(all.by_component["f"], 500);
}

TEST_F(a_report, gives_no_observation_for_an_invocation_that_threw) {
  seen all;
  options o = four_cores();
  o.on_error = on_error::collect;
  o.policy = fixed_shares{{"f", 1}};
  collect_into(all, o);
  execution run = start(box("f", takes(n), gives(n),
                            [](std::int64_t v) {
                              if (v % 2) throw std::runtime_error("odd");
                              return v;
                            }),
                        o);
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(of(run.report(), "f").observations, 50u);
}

TEST_F(a_report, counts_a_record_as_sent_before_any_box_has_it) {
  const execution* itself = nullptr;
  std::atomic<int> early{0};
  execution run = start(box("look", takes(n), gives(n), [&](std::int64_t v) {
    early += itself->report().sent <= static_cast<std::uint64_t>(v);
    return v;
  }));
  itself = &run;
  for (int i = 0; i < 500; ++i) {
    run.send(n = i);
    ASSERT_EQ((*run.begin())[n], i);  // so the network is idle, and the next send wakes a thread
  }
  EXPECT_EQ(early, 0);
}

TEST_F(a_report, observes_the_box_and_not_what_runs_inside_its_emit) {
  const network net = box("f", takes(n), gives(k),
                          [](std::int64_t, emitter& emit) {
                            for (std::int64_t i = 0; i < 200; ++i) emit(k = i);
                          }) >>
                      box("slow", takes(k), gives(k), [](std::int64_t v) {
                        work(100);
                        return v;
                      });
  double own_part = 1;  // f's own time over the slow ones' time. On a busy host it includes other work that ran instead
                        // of f
  for (int attempt = 0; attempt < 10 && own_part > 0.5; ++attempt) {
    seen all;
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.policy = fixed_shares{{"f", 1}};
    o.capacity = 1;
    collect_into(all, o);
    execution run = start(net, o);
    run.send(n = 1);
    run.close();
    EXPECT_EQ(all_of(run).size(), 200u);
    const double slow = of(run.report(), "slow").total_seconds;
    ASSERT_EQ(all.by_component["f"].size(), 1u);
    own_part = all.by_component["f"][0].seconds / slow;
  }
  EXPECT_LT(own_part, 0.5) << "the 200 slow invocations that it was held back by are not its own time";
}

}  // namespace
}  // namespace weir::report_test
