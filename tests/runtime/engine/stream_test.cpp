#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/threads/cpu_seconds.hpp"
#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/sender_thread.hpp"

namespace weir {
namespace {

using namespace testing;

// ---- sending, closing, reading ----

TEST_F(a_stream, gives_what_was_sent_in_order_and_ends_when_closed) {
  execution run = start(counting("f") >> counting("g"), on("core:2 pu:1"));
  for (int i = 0; i < 1000; ++i) run.send(n = i, s = long_text(i));
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) {
    ASSERT_EQ(r[n], next + 2);
    ASSERT_EQ(r[s], long_text(next));
    ++next;
  }
  EXPECT_EQ(next, 1000);
  EXPECT_TRUE(all_of(run).empty()) << "it stays ended";
}

TEST_F(a_stream, that_is_closed_without_a_record_ends_at_once) {
  execution run = start(counting("f"), on("core:2 pu:1"));
  run.close();
  run.close();
  EXPECT_TRUE(all_of(run).empty());
  run.wait();
}

TEST_F(a_stream, takes_ten_times_its_capacity_from_one_thread_before_anything_is_read) {
  for (const std::size_t capacity : {1u, 2u, 16u, 100u}) {
    execution run = start(counting("f") >> counting("g") >> counting("h"), on("core:2 pu:1", capacity));
    const std::int64_t count = 10 * static_cast<std::int64_t>(capacity);
    for (std::int64_t i = 0; i < count; ++i) run.send(n = i);
    run.close();
    std::int64_t next = 0;
    for (const record& r : run) ASSERT_EQ(r[n], 3 + next++);
    EXPECT_EQ(next, count) << "capacity " << capacity;
  }
}

TEST_F(a_stream, takes_ten_times_the_automatic_capacity_before_anything_is_read) {
  execution run = start(counting("f") >> counting("g"), on("core:2 pu:1"));
  constexpr std::int64_t count = 10 * 1024;
  for (std::int64_t i = 0; i < count; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) ASSERT_EQ(r[n], 2 + next++);
  EXPECT_EQ(next, count);
}

TEST_F(a_stream, may_be_read_one_for_one_by_the_thread_that_sends) {
  execution run = start(counting("f"), on("core:2 pu:1", 1));
  run.send(n = 0);
  auto result = run.begin();
  for (int i = 1; i < 500; ++i) {
    ASSERT_EQ((*result)[n], i);
    run.send(n = i);
    ++result;
  }
  run.close();
  ++result;
  EXPECT_TRUE(result == run.end());
}

TEST_F(a_stream, of_capacity_one_everywhere_lets_everything_through) {
  network net = counting("f0");
  for (int i = 1; i < 12; ++i) net = net >> counting("f" + std::to_string(i));
  options o = on("core:4 pu:1", 1);
  o.results_capacity = 1;
  execution run = start(net, o);
  sender_thread sender(run, 2000);
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[n], 12 + next++);
  sender.join();
  EXPECT_EQ(next, 2000);
}

TEST_F(a_stream, takes_records_from_many_senders_and_keeps_the_order_of_each) {
  constexpr int senders = 8, each = 2000;
  execution run = start(counting("f") >> counting("g"), on("core:4 pu:1", 16));
  std::vector<std::thread> threads;
  std::atomic<int> done{0};
  for (int who = 0; who < senders; ++who)
    threads.emplace_back([&, who] {
      for (int i = 0; i < each; ++i) run.send(n = i, k = who);
      if (++done == senders) run.close();
    });
  std::vector<std::int64_t> next(senders, 0);
  for (const record& r : run) {
    auto& expected = next[static_cast<std::size_t>(r[k])];
    EXPECT_EQ(r[n], expected + 2);
    ++expected;
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(next, std::vector<std::int64_t>(senders, each));
}

TEST_F(a_stream, that_is_full_refuses_try_send_and_takes_it_when_there_is_room) {
  gate held;
  execution run = start(gated(held), on("core:2 pu:1", 2));
  std::int64_t taken = 0;
  while (run.try_send(n = taken)) ++taken;
  EXPECT_GE(taken, 2) << "as many as the capacity";
  EXPECT_LE(taken, 2 + 2 * 64) << "and not many more than that and what is in work";
  EXPECT_EQ(run.report().sent, static_cast<std::uint64_t>(taken)) << "what was refused was not taken";
  held.open();
  EXPECT_TRUE(eventually([&] { return run.try_send(n = taken); }));
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) ASSERT_EQ(r[n], next++);
  EXPECT_EQ(next, taken + 1);
}

TEST_F(a_stream, wakes_a_blocked_send_when_there_is_room) {
  gate held;
  execution run = start(gated(held), on("core:2 pu:1", 1));
  std::atomic<int> sent{0};
  std::thread sender([&] {
    for (int i = 0; i < 200; ++i) {
      run.send(n = i);
      ++sent;
    }
    run.close();
  });
  EXPECT_TRUE(held.wait_for_arrivals(1));
  EXPECT_LT(sent, 200) << "the sender is held back";
  held.open();
  sender.join();
  EXPECT_EQ(all_of(run).size(), 200u);
}

TEST_F(a_stream, waits_until_all_is_drained_and_keeps_the_results) {
  execution run = start(counting("f"), on("core:2 pu:1", 4));
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(run.report().results, 100u);
  EXPECT_EQ(all_of(run).size(), 100u);
}

// A thread that reads some results and then waits does not read meanwhile: the results must be kept for it.
TEST_F(a_stream, lets_a_reader_wait_for_the_end_and_read_the_rest_afterwards) {
  execution run = start(counting("f"), on("core:2 pu:1", 4));
  sender_thread sender(run, 1000);
  auto result = run.begin();
  for (int i = 0; i < 10; ++i) ++result;
  auto waited = std::async(std::launch::deferred, [&] { run.wait(); });
  std::atomic<bool> over{false};
  std::thread rescue([&] {
    if (!eventually([&] { return over.load(); }, std::chrono::seconds(10))) run.stop();
  });
  waited.get();
  over = true;
  rescue.join();
  sender.join();
  EXPECT_EQ(run.report().results, 1000u) << "wait() came back because it was rescued by stop()";
}

// A thread that first reads and then sends, as the only reader, is the only one that could free places.
TEST_F(a_stream, never_holds_back_a_reader_that_begins_to_send) {
  execution run = start(counting("f"), on("core:2 pu:1", 4));
  std::thread([&] { run.send(n = 0); }).join();
  auto result = run.begin();
  EXPECT_EQ((*result)[n], 1);
  int sent = 0;
  for (; sent < 1000; ++sent)
    if (!eventually([&] { return run.try_send(n = sent); }, std::chrono::seconds(5))) break;
  EXPECT_EQ(sent, 1000) << "the network stayed full although only the sender could read";
  if (sent < 1000) run.stop();
}

// ---- refusals ----

TEST_F(a_stream, refuses_what_does_not_fit_and_says_why_and_goes_on) {
  static constexpr field<double> a_as_double{"a"};
  execution run = start(box("f", takes(a, n), gives(n), [](int, std::int64_t v) { return v; }), on("core:2 pu:1"));
  EXPECT_EQ(refusal<send_error>([&] { run.send(n = 1); }),
            "f: the record does not fit the input {a, <n>} -> {<n>}: it lacks a; record {<n>=1}");
  EXPECT_EQ(refusal<send_error>([&] { run.send(a = 1); }),
            "f: the record does not fit the input {a, <n>} -> {<n>}: it lacks <n>; record {a=1}");
  EXPECT_EQ(
      refusal<send_error>([&] { run.send(a_as_double = 1.5, n = 1); }),
      "f: the record does not fit the input {a, <n>} -> {<n>}: its field 'a' is a double, expected was an int; record "
      "{a=1.5, <n>=1}");
  EXPECT_EQ(refusal<send_error>([&] { run.try_send(a = 1, n = 1, bk = 2); }),
            "f: the record does not fit the input {a, <n>} -> {<n>}: it has the binding tag <#k>, which is not taken; "
            "record {a=1, <n>=1, <#k>=2}");
  EXPECT_THROW(run.send(record()), send_error);
  run.send(a = 1, n = 7, s = long_text(1));
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u);
  EXPECT_EQ(run.report().sent, 1u) << "what was refused does not count";
  EXPECT_EQ(run.report().failed, 0u);
}

TEST_F(a_stream, demands_of_the_input_what_a_box_far_behind_needs) {
  execution run =
      start(counting("f") >> box("g", takes(n, s), gives(n), [](std::int64_t v, const std::string&) { return v; }),
            on("core:2 pu:1"));
  EXPECT_NE(refusal<send_error>([&] { run.send(n = 1); }).find("it lacks s"), std::string::npos);
}

TEST_F(a_stream, refuses_a_record_after_close) {
  execution run = start(counting("f"), on("core:2 pu:1"));
  run.send(n = 1);
  run.close();
  EXPECT_EQ(refusal<send_error>([&] { run.send(n = 2); }), "f: send after close; record {<n>=2}");
  EXPECT_NE(refusal<send_error>([&] { run.try_send(n = 2); }), nothing_refused);
  EXPECT_EQ(all_of(run).size(), 1u);
}

TEST_F(a_stream, refuses_a_record_after_stop) {
  execution run = start(counting("f"), on("core:2 pu:1"));
  run.stop();
  EXPECT_THROW(run.send(n = 2), run_error);
  EXPECT_TRUE(all_of(run).empty());
}

// ---- waiting costs nothing ----

double cpu_seconds_of_process() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return detail::cpu_seconds_in(used);
}

// A sender that a slow box holds back does not spin: in half a second of waiting it uses less than a fifth of one core.
void expect_idle(const std::string& when) {
  const double before = cpu_seconds_of_process();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the measured period, not a synchronisation
  EXPECT_LT(cpu_seconds_of_process() - before, 0.1) << when;
}

TEST_F(a_stream, that_is_held_back_by_a_slow_box_spins_nowhere) {
  gate held;
  options o = on("core:3 pu:1", 4);
  o.policy = fixed_shares{{"f", 1}, {"g", 1}, {"gated", 1}};
  execution run = start(counting("f") >> counting("g") >> gated(held), o);
  int sent = 0;
  while (eventually([&] { return run.try_send(n = sent); }, std::chrono::milliseconds(100))) ++sent;
  expect_idle("while every stream is full");
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), static_cast<std::size_t>(sent));
}

TEST_F(a_stream, that_nobody_reads_or_feeds_spins_nowhere) {
  options o = on("core:2 pu:1", 4);
  o.results_capacity = 4;
  execution run = start(counting("f") >> counting("g"), o);
  expect_idle("before the first record");
  while (eventually([&] { return run.try_send(n = 1); }, std::chrono::milliseconds(100))) {
  }
  expect_idle("while nobody reads");
}

// ---- a machine without threads ----

options unthreaded(const std::string& cores, std::size_t capacity = 0) {
  options o;
  o.machine = machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform(cores)));
  o.capacity = capacity;
  return o;
}

TEST_F(a_stream, runs_on_a_machine_without_threads) {
  for (const std::size_t capacity : {1u, 4u, 0u}) {
    const int before = thread_count();
    execution run = start(counting("f") >> counting("g"), unthreaded("core:2 pu:1", capacity));
    for (int i = 0; i < 500; ++i) run.send(n = i);
    run.close();
    std::int64_t next = 0;
    for (const record& r : run) ASSERT_EQ(r[n], 2 + next++);
    EXPECT_EQ(next, 500);
    EXPECT_EQ(thread_count(), before);
  }
}

TEST_F(a_stream, of_an_emitter_runs_on_a_machine_without_threads) {
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"})
    for (const std::size_t capacity : {1u, 4u, 100u}) {
      const network net = box("f", takes(n), gives(n),
                              [](std::int64_t v, emitter& emit) {
                                for (std::int64_t i = 0; i < 300; ++i) emit(n = v * 300 + i);
                              }) >>
                          counting("g") >> counting("h");
      SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
      execution run = start(net, unthreaded(cores, capacity));
      for (int i = 0; i < 20; ++i) run.send(n = i);
      run.close();
      std::int64_t next = 0;
      for (const record& r : run) ASSERT_EQ(r[n], 2 + next++) << cores << ", capacity " << capacity;
      EXPECT_EQ(next, 20 * 300);
    }
}

}  // namespace
}  // namespace weir
