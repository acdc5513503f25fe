#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/moved_time.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/log_lines.hpp"

// A run that makes no progress logs the reason why it waits. The test sets the time and counts the looks at the run, so
// a missing sentence is not just a late one.
namespace weir {
namespace {

using namespace testing;

class a_run_without_progress : public gives_all_back {
 protected:
  options on_moved_time() {
    options o;
    o.machine = machine(std::make_shared<detail::machine_state>(time));
    o.watchdog.at_least = std::numeric_limits<double>::infinity();  // it is off: this is said all the same
    return o;
  }

  // Lets seconds pass in which nothing moves. The looks before it see the last progress.
  void pause(double seconds = 6) {
    time->freeze();
    ASSERT_TRUE(time->wait_for_checks());
    time->advance(seconds);
  }

  static bool has(const std::vector<std::string>& sentences, const std::string& text) {
    for (const std::string& s : sentences)
      if (s.find(text) != std::string::npos) return true;
    return false;
  }
  static std::string joined(const run_report& r) {
    std::string all;
    for (const std::string& s : r.waits_for) all += s + "\n";
    return all;
  }
  // Checks that the report says it, and that the log does.
  void expect(const execution& run, const std::string& text) {
    const run_report r = run.report();
    EXPECT_TRUE(has(r.waits_for, text)) << text << "\nnot in\n" << joined(r);
    EXPECT_TRUE(eventually([&] { return logged.with("no progress: ").size() > 0 && logged.with(text).size() > 0; }))
        << text;
  }

  // Passes records; those with 99 wait for the gate.
  network gated(const std::string& name) {
    return box(name, takes(n), gives(n), [this](std::int64_t v) {
      if (v == 99) held.pass();
      return v;
    });
  }

  const std::shared_ptr<moved_time> time = std::make_shared<moved_time>();
  gate held;
  log_lines logged;
};

TEST_F(a_run_without_progress, whose_input_was_not_closed_says_so_under_any_policy) {
  for (const policy& p : {policy(adaptive{objective::throughput}), policy(adaptive{objective::latency}),
                          policy(equal_shares{}), policy(best_fixed{}), policy(fixed_shares{{"f", 1}})}) {
    SCOPED_TRACE(p.name());
    options o = on_moved_time();
    o.policy = p;
    execution run = start(box("f", takes(n), gives(n), plus_one), o);
    for (int i = 0; i < 5; ++i) run.send(n = i);
    ASSERT_TRUE(eventually([&] { return run.report().results == 5; }));
    const std::size_t before = logged.with("no progress").size();
    pause(3);
    EXPECT_TRUE(run.report().waits_for.empty()) << "3 s are no standstill";
    pause(3);
    expect(run, "input: 5 records sent, none for ");
    expect(run, " s, and it is still open");
    ASSERT_TRUE(eventually([&] { return logged.with("no progress").size() == before + 1; }));
    const run_report r = run.report();
    EXPECT_EQ(r.waits_for.size(), 1u) << joined(r);
    EXPECT_NE(r.brief().find("  no progress: input: 5 records sent"), std::string::npos) << r.brief();
    EXPECT_NE(r.full().find("\nno progress\n  input: 5 records sent"), std::string::npos) << r.full();
    EXPECT_NE(r.json().find("\"waits_for\":[\"input: 5 records sent"), std::string::npos) << r.json();
    run.close();
    EXPECT_EQ(all_of(run).size(), 5u);
    EXPECT_TRUE(run.report().waits_for.empty()) << "it has ended";
  }
}

TEST_F(a_run_without_progress, says_each_kind_once_and_that_it_goes_on_and_reports_the_present_state) {
  const options o = on_moved_time();
  execution run = start(box("f", takes(n), gives(n), plus_one), o);
  pause();
  expect(run, "input: no record was sent for ");
  for (std::uint64_t round = 1; round <= 3; ++round) {
    run.send(n = 1);
    ASSERT_TRUE(eventually([&] { return run.report().results == round; }));
    EXPECT_TRUE(run.report().waits_for.empty()) << "it has just worked";
    pause(60);
    EXPECT_TRUE(has(run.report().waits_for, "none for 60 s")) << joined(run.report());
    EXPECT_TRUE(eventually([&] { return !o.machine.state()->is_watching(); })) << "the controller sleeps again";
  }
  EXPECT_EQ(logged.with("no progress").size(), 1u) << "a server without requests is no news";
  EXPECT_EQ(logged.with("progress again").size(), 1u);
}

TEST_F(a_run_without_progress, whose_results_no_thread_reads_says_so_and_that_a_sender_waits) {
  options o = on_moved_time();
  o.capacity = o.results_capacity = 4;
  execution run = start(box("f", takes(n), gives(n), plus_one), o);
  std::thread sender([&] {
    try {
      for (int i = 0; i < 100; ++i) run.send(n = i);
    } catch (const send_error&) {
    }
  });
  ASSERT_TRUE(eventually([&] { return run.report().streams.front().blocked_seconds > 0; }));
  pause();
  expect(run, "4 results wait to be read, and no thread has read any for ");
  expect(run, "1 sender waits for room in the stream input -> f (");
  EXPECT_FALSE(has(run.report().waits_for, "close()")) << joined(run.report());
  run.stop();
  sender.join();
}

TEST_F(a_run_without_progress, whose_bound_of_the_whole_is_reached_says_so_and_that_results_wait) {
  options o = on_moved_time();
  o.max_in_flight = 4;
  o.results_capacity = 100;
  execution run = start(box("f", takes(n), gives(n), plus_one), o);
  std::thread sender([&] {
    try {
      for (int i = 0; i < 100; ++i) run.send(n = i);
    } catch (const send_error&) {
    }
  });
  ASSERT_TRUE(eventually([&] { return run.report().in_flight.blocked_seconds > 0; }));
  pause();
  expect(run, "1 sender or initialiser waits to enter: 4 records in flight, as many as allowed");
  expect(run, "4 results wait to be read, and no thread has read any for ");
  EXPECT_FALSE(has(run.report().waits_for, "close()")) << joined(run.report());
  run.stop();
  sender.join();
}

TEST_F(a_run_without_progress, names_the_box_that_runs_its_path_its_record_and_how_long) {
  options o = on_moved_time();
  o.policy = fixed_shares{{"solve", 1}};
  execution run = start(bypass() >> split(gated("solve"), k), o);
  run.send(n = 99, k = 7, s = "text");
  ASSERT_TRUE(held.wait_for_arrivals(1));
  pause();
  expect(run, "solve at :S2:I7 has been running for ");
  EXPECT_TRUE(has(run.report().waits_for, "; record {s, <k>=7, <n>=99}")) << joined(run.report());
  EXPECT_FALSE(has(run.report().waits_for, "input")) << "the input is not what it waits for";
  run.stop();
  EXPECT_TRUE(has(run.report().waits_for, "solve at :S2:I7")) << "the end waits for it, too";
  held.open();
  EXPECT_LE(all_of(run).size(), 1u);
  EXPECT_TRUE(run.report().waits_for.empty());
}

TEST_F(a_run_without_progress, names_what_emits_into_a_full_stream) {
  const network many = box("many", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 100; ++i) emit(n = v);
  });
  options o = on_moved_time();
  o.policy = fixed_shares{{"many", 1}, {"slow", 1}};
  o.capacity = 4;
  execution run = start(many >> gated("slow"), o);
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  ASSERT_TRUE(eventually([&] { return run.report().streams[1].blocked_seconds > 0; }));
  pause();
  expect(run, "many waits for room in the stream many -> slow (");
  expect(run, "slow at :S2 has been running for ");
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 100u);
}

TEST_F(a_run_without_progress, names_synchrocells_that_hold_records) {
  execution run = start(bypass() >> split(sync({a}, {b}), k), on_moved_time());
  run.send(a = 1, k = 1);
  run.send(a = 1, k = 2);
  ASSERT_TRUE(eventually([&] { return run.report().held == 2; }));
  pause();
  expect(run, "synchrocell at :S2:I* holds 2 records until records for its other patterns arrive");
  expect(run, "input: 2 records sent");
  run.stop();
}

TEST_F(a_run_without_progress, names_the_exit_of_an_ordered_network_that_holds_results_back) {
  options o = on_moved_time();
  o.policy = fixed_shares{{"slow", 1}};
  const network slow = box("slow", takes(a), gives(a), [this](int v) {
    held.pass();
    return v;
  });
  execution run = start(ordered(slow | box("fast", takes(b), gives(b), [](int v) { return v; })), o);
  run.send(a = 1);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  run.send(b = 1);
  run.send(b = 2);
  const auto passed = [&] { return run.report().components[1].invocations; };
  ASSERT_TRUE(eventually([&] { return passed() == 2; }));
  pause();
  expect(run, "ordered holds 2 records until what earlier inputs cause has left");
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 3u);
}

TEST_F(a_run_without_progress, names_the_loop_whose_records_are_to_enter_it_again) {
  const network again = box("again", takes(n), gives(n), [this](std::int64_t v, emitter& emit) {
    if (v < 99) return emit(n = 0);
    for (int i = 0; i < 300; ++i) emit(n = 1);  // more than are taken together
    held.pass();
  });
  options o = on_moved_time();
  o.policy = fixed_shares{{"again", 1}};
  o.capacity = 1;
  execution run = start(feedback(again, pattern{n}.where(n > 0)), o);
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  pause();
  expect(run, "feedback has ");
  expect(run, " records that are to enter it again");
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 300u);
}

TEST_F(a_run_without_progress, names_the_callback_that_boxes_wait_for) {
  options o = on_moved_time();
  o.policy = fixed_shares{{"f", 1}};
  o.on_observation = [this](std::string_view, const observation&) { held.pass(); };
  execution run = start(box("f", takes(n), gives(n), plus_one), o);
  sender_thread sender(run, 20000);
  pause();
  ASSERT_TRUE(eventually([&] {
    time->advance(6);
    return has(run.report().waits_for, "boxes wait until options.on_observation has returned");
  })) << joined(run.report());
  held.open();
  EXPECT_EQ(all_of(run).size(), 20000u);
  sender.join();
}

TEST_F(a_run_without_progress, is_none_whose_box_emits_now_and_then) {
  const network slowly = box("slowly", takes(n), gives(n), [this](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 5; ++i) {
      emit(n = v);
      EXPECT_TRUE(time->wait_for_checks());
      time->advance(4);
    }
  });
  execution run = start(slowly, on_moved_time());
  run.send(n = 1);
  run.close();
  EXPECT_EQ(all_of(run).size(), 5u);
  EXPECT_TRUE(logged.with("no progress").empty());
}

}  // namespace
}  // namespace weir
