#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/threads.hpp"

// Deliberate faults of boxes and of the machine. Always: records in = out + failed + dropped + held, nothing hangs,
// nothing is left behind.
namespace weir {
namespace {

using namespace testing;

class a_fault : public gives_all_back {
 protected:
  static options on(const machine& m) {
    options o;
    o.machine = m;
    o.on_error = on_error::collect;
    return o;
  }
  static options on(int workers) { return on(machine::synthetic("core:" + std::to_string(workers) + " pu:1")); }

  // For a network that gives one result per input.
  static void expect_accounted(const execution& run, std::size_t results, std::size_t errors) {
    const run_report r = run.report();
    EXPECT_EQ(r.results, results);
    EXPECT_EQ(r.failed, errors);
    EXPECT_EQ(run.errors().size(), errors);
    EXPECT_EQ(r.sent, r.results + r.failed + r.dropped + r.held);
  }
};

struct of_no_std_type {
  std::string why = long_text(1);
};

void throw_something(std::uint32_t which) {
  switch (which % 5) {
    case 0:
      throw std::runtime_error(long_text(2));
    case 1:
      throw 7;
    case 2:
      throw of_no_std_type{};
    case 3:
      throw std::bad_alloc();
    default:
      throw "a text";
  }
}

// ---- boxes ----

TEST_F(a_fault, of_any_type_at_random_in_every_box_loses_its_record_alone_on_any_number_of_workers) {
  for (const int workers : {1, 2, 3, 8, 64})
    for (const std::uint32_t part : {5u, 1u}) {  // one in five throws; all do
      const auto unlucky = [part](std::int64_t v, std::uint32_t at) {
        const auto drawn = static_cast<std::uint32_t>(std::minstd_rand(static_cast<std::uint32_t>(v) * 31 + at)());
        return drawn % part == 0 ? drawn : 0;
      };
      const auto throwing = [&](const char* name, std::uint32_t at) {
        return box(name, takes(n, s), gives(n, s), [=](std::int64_t v, std::string text) {
          if (const std::uint32_t drawn = unlucky(v, at)) throw_something(drawn / 7);
          return std::tuple(v, std::move(text));
        });
      };
      constexpr std::int64_t records = 400;
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 1; i <= records; ++i)
        if (!unlucky(i, 1) && !unlucky(i, 2) && !unlucky(i, 3)) expected.push_back(i);
      execution run = start(throwing("one", 1) >> throwing("two", 2) >> throwing("three", 3), on(workers));
      for (std::int64_t i = 1; i <= records; ++i) run.send(n = i, s = long_text(i));
      run.close();
      std::vector<std::int64_t> got;
      for (const record& r : run) got.push_back(r[n]);
      EXPECT_EQ(got, expected);
      expect_accounted(run, expected.size(), records - expected.size());
    }
}

TEST_F(a_fault, inside_a_parallel_loop_ends_the_record_and_the_arena_goes_on) {
  for (const bool own : {false, true})
    for (const machine& m : {machine::local(), machine::synthetic("core:4 pu:1")}) {
      const network loops = box("loops", takes(n), gives(n), [](std::int64_t v) {
        std::atomic<int> ran{0};
        as_tbb_tasks(16, [&](int i) {
          if (v % 3 == 0 && i == 11) throw std::runtime_error("cell 11");
          ++ran;
        });
        return v + ran;
      });
      options o = on(m);
      if (own) o.policy = fixed_shares{{"loops", m.size()}};
      execution run = start(loops, o);
      for (std::int64_t i = 0; i < 90; ++i) run.send(n = i);
      run.close();
      std::int64_t next = 0;
      for (const record& r : run) {
        if (next % 3 == 0) ++next;
        EXPECT_EQ(r[n], next + 16);
        ++next;
      }
      expect_accounted(run, 60, 30);
      for (const failure& f : run.errors()) EXPECT_EQ(f.cause, "the box threw \"cell 11\"");
    }
}

TEST_F(a_fault, of_a_box_that_asks_for_more_memory_than_there_is_ends_its_record) {
  if (sanitized) GTEST_SKIP() << "a sanitizer ends the program instead";
  const network greedy = box("greedy", takes(n), gives(n), [](std::int64_t v) {
    volatile std::size_t all = std::numeric_limits<std::size_t>::max() / 4;
    if (v % 2) return static_cast<std::int64_t>(std::vector<char>(all).size());
    return v;
  });
  execution run = start(greedy, on(2));
  for (std::int64_t i = 0; i < 20; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 10u);
  expect_accounted(run, 10, 10);
  EXPECT_EQ(run.errors().front().cause, "the box threw \"std::bad_alloc\"");
}

// Slots are numbers of 16 bits.
TEST_F(a_fault, of_a_record_that_would_get_too_many_labels_ends_that_record) {
  constexpr tag further{"further"};
  std::vector<const detail::label_info*> labels{n.info()};
  for (int i = 1; i < 65'535; ++i) labels.push_back(tag{("one of too many " + std::to_string(i)).c_str()}.info());
  const detail::shape* const wide = detail::shape::of(labels);
  const network adds = box("adds", takes(n), gives(n, further), [](std::int64_t v) { return std::tuple(v, v); });
  for (const network& one : {adds, network(filter(takes(n)).emit(n, further = 1))}) {
    execution run = start(one, on(2));
    detail::record_body* const body = detail::make_body(wide);
    std::fill_n(body->slots(), wide->size(), detail::slot_word{});
    run.send(record::adopt(body));
    run.send(n = 1);
    run.close();
    EXPECT_EQ(all_of(run).size(), 1u);
    expect_accounted(run, 1, 1);
  }
}

// ---- calling back ----

TEST_F(a_fault, is_none_where_a_box_asks_its_own_run_and_closes_it) {
  for (const int workers : {1, 4}) {
    execution* mine = nullptr;
    gate ready;
    const network asks = box("asks", takes(n), gives(n), [&](std::int64_t v, emitter& emit) {
      ready.pass();
      (void)mine->report().full();
      (void)mine->errors();
      (void)mine->models();
      (void)mine->predict("asks", 1, cores{1});
      if (v == 49) mine->close();
      emit(n = v);
      emit(n = v);  // after close: records in the network drain
    });
    execution run = start(asks, on(workers));
    mine = &run;
    ready.open();
    for (std::int64_t i = 0; i < 50; ++i) run.send(n = i);
    std::int64_t next = 0;
    for (const record& r : run) EXPECT_EQ(r[n], next++ / 2);
    EXPECT_EQ(next, 100);
    EXPECT_TRUE(run.errors().empty());
  }
}

TEST_F(a_fault, is_none_where_a_box_sends_to_its_own_run_as_long_as_there_is_room) {
  execution* mine = nullptr;
  gate ready;
  const network again = box("again", takes(n), gives(n), [&](std::int64_t v) {
    ready.pass();
    if (v > 0 && !mine->try_send(n = v - 1)) throw std::runtime_error("full");
    if (v == 0) mine->close();
    return v;
  });
  execution run = start(again, on(2));
  mine = &run;
  ready.open();
  run.send(n = 1000);
  std::int64_t next = 1000;
  for (const record& r : run) EXPECT_EQ(r[n], next--);
  EXPECT_EQ(next, -1);
}

TEST_F(a_fault, of_a_box_that_would_wait_for_itself_is_an_error_with_a_reason) {
  execution* mine = nullptr;
  gate ready;
  const network waits = box("waits", takes(n), gives(n), [&](std::int64_t v) {
    ready.pass();
    if (v == 1) mine->wait();
    if (v == 2) (void)mine->begin();
    if (v == 3)
      for (int i = 0;; ++i) mine->send(n = 10 + i);
    return v;
  });
  options o = on(2);
  o.capacity = 4;
  execution run = start(waits >> bypass(), o);
  mine = &run;
  ready.open();
  for (std::int64_t i = 0; i < 4; ++i) run.send(n = i);
  EXPECT_TRUE(eventually([&] { return run.errors().size() == 3; }));
  run.close();
  std::size_t results = 0;
  for (const record& r : run) {
    EXPECT_TRUE(r[n] == 0 || r[n] >= 10) << r;
    ++results;
  }
  expect_accounted(run, results, 3);
  EXPECT_GE(results, 4u) << "it sent until the network was full";
  const std::string why =
      ": called from a box or callback of the same run, which would wait for itself; use feedback, or try_send\"";
  std::set<std::string> causes;  // of two workers: in any order
  for (const auto& e : run.errors()) causes.insert(e.cause);
  EXPECT_EQ(causes, (std::set<std::string>{"the box threw \"wait" + why, "the box threw \"iteration" + why,
                                           "the box threw \"send into a full network" + why}));
}

TEST_F(a_fault, is_none_where_a_box_stops_its_own_run) {
  for (int round = 0; round < 20; ++round) {
    execution* mine = nullptr;
    gate ready;
    const network stops = box("stops", takes(n), gives(n), [&](std::int64_t v) {
      ready.pass();
      if (v == 30) mine->stop();
      return v;
    });
    execution run = start(bypass() >> stops >> bypass(), on(1 + round % 4));
    mine = &run;
    ready.open();
    try {
      for (std::int64_t i = 0; i < 100; ++i) run.send(n = i);
    } catch (const send_error& e) {
      EXPECT_EQ(e.details().cause, "send after stop");
    }
    const std::size_t read = all_of(run).size();
    run.wait();
    EXPECT_LE(read, run.report().results) << "what came when reading had ended";
    expect_accounted(run, run.report().results, 0);
  }
}

// ---- producers and consumers that stop ----

TEST_F(a_fault, of_a_reader_that_goes_away_holds_up_the_sender_until_the_run_is_stopped) {
  for (const int workers : {1, 4}) {
    options o = on(workers);
    o.capacity = o.results_capacity = 8;
    execution run = start(bypass() >> box("one", takes(n), gives(n), plus_one), o);
    std::atomic<int> sent{0};
    std::thread sender([&] {
      try {
        for (;; ++sent) run.send(n = sent.load());
      } catch (const send_error&) {
      }
    });
    int got = 0;
    for (const record& r : run) {
      EXPECT_EQ(r[n], ++got);
      if (got == 20) break;
    }
    int seen = -1;
    EXPECT_TRUE(eventually([&] {  // the sender is held back: no further record for a while
      const bool same = seen == sent.load();
      seen = sent.load();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return same;
    }));
    EXPECT_LT(sent, 20 + 8 * 16) << "bounded streams";
    run.stop();
    sender.join();
    run.wait();
    const run_report r = run.report();
    EXPECT_EQ(r.sent, r.results + r.dropped);
  }
}

// ---- the machine ----

// A synthetic machine with invalid clocks.
class odd_clock final : public test_platform {
 public:
  enum class oddity { stands_still, goes_back, jumps, has_no_cpu_time };
  explicit odd_clock(oddity o) : how_(o) {}
  double now() const noexcept override {
    const auto reading = static_cast<double>(readings_.fetch_add(1));
    switch (how_) {
      case oddity::stands_still:
        return 5;
      case oddity::goes_back:
        return 1e6 - 1e-6 * reading;
      case oddity::jumps:
        return std::fmod(reading * 7919, 1e6);
      default:
        return 1e-6 * reading;
    }
  }
  detail::thread_usage usage() const noexcept override { return {cpu_seconds({}), 0}; }
  bool bind(const core_set&) noexcept override { return false; }
  bool unbind() noexcept override { return false; }

 private:
  const oddity how_;
  mutable std::atomic<std::uint64_t> readings_{0};
};

TEST_F(a_fault, of_the_clock_changes_no_result) {
  using oddity = odd_clock::oddity;
  for (const oddity o : {oddity::stands_still, oddity::goes_back, oddity::jumps, oddity::has_no_cpu_time})
    for (const policy& p : {policy(adaptive{objective::throughput}), policy(adaptive{objective::latency}),
                            policy(equal_shares{}), policy(fixed_shares{{"one", 2, 2}})}) {
      options how = on(machine(std::make_shared<detail::machine_state>(std::make_shared<odd_clock>(o))));
      how.policy = p;
      how.learn_from = o == oddity::has_no_cpu_time ? measured_time::cpu : measured_time::wall;
      how.watchdog.on_hang = [](const hang&) {};
      const auto predicted = [](std::int64_t v) { return static_cast<double>(v); };
      execution run = start(box("one", takes(n), gives(n), plus_one).predicted_by(predicted, degree{1}) >>
                                split(box("two", takes(n), gives(n), plus_one), k),
                            how);
      for (std::int64_t i = 0; i < 300; ++i) run.send(n = i, k = i % 3);
      run.close();
      std::vector<std::int64_t> got;
      for (const record& r : run) got.push_back(r[n] - 2);
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got.size(), 300u);
      for (std::int64_t i = 0; i < 300; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
      expect_accounted(run, 300, 0);
      EXPECT_FALSE(run.report().full().empty());
      EXPECT_FALSE(run.report().json().empty());
      const prediction expected = run.predict("one", 100, cores{2});
      EXPECT_FALSE(expected.mean < 0);
    }
}

}  // namespace
}  // namespace weir
