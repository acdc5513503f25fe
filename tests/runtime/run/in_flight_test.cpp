#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "tests/runtime/engine/a_stream.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Options max_in_flight and max_bytes_in_flight: a bound on the records in flight in the network as a whole.
namespace weir {
namespace {

using namespace testing;

class what_is_in_flight : public gives_all_back {};

// Both ends of the test's own count of the records between them. The runtime counts a record earlier and longer, so
// this count never exceeds the limit either.
network entering(peak_count& g) {
  return box("in", takes(n), gives(n), [&g](std::int64_t v) {
    g.enter();
    return v;
  });
}

network leaving(peak_count& g) {
  return box("out", takes(n), gives_none, [&g](std::int64_t) { g.leave(); });
}

// Work of up to 20 us.
std::int64_t some_work(std::int64_t v) {
  spend(v * 7919 % 20000);
  return v;
}

network working(const std::string& name) { return box(name, takes(n), gives(n), some_work); }

const pattern is_done = pattern{n, k}.where(k <= 0);

// Each input leaves as one record.
std::vector<network> forms() {
  const network first = filter(takes(n)).emit(n = n, k = n % 5);
  const network round = box("round", takes(n, k), gives(n, k),
                            [](std::int64_t v, std::int64_t left) { return std::pair(some_work(v), left - 1); });
  const network loop = star(round, is_done), back = feedback(round, pattern{n, k}.where(k > 0));
  const network ways = filter(takes(n)).when(n % 2 == 0).emit(n = n, e = n).otherwise().emit(n = n) >>
                       (box("even", takes(n, e), gives(n), [](std::int64_t v, std::int64_t) { return some_work(v); }) |
                        box("odd", takes(n), gives(n), [](std::int64_t v) { return v; }));
  const auto without_k = filter(takes(n, k)).emit(n = n);
  return {bypass(),
          working("a") >> working("b"),
          ways,
          ordered(ways),
          first >> loop >> without_k,
          first >> ordered(loop) >> without_k,
          first >> back >> without_k,
          first >> split(working("each"), k),
          ordered(first >> ordered(split(loop, k)) >> without_k)};
}

std::vector<const char*> machines() {
  if (sanitized) return {"core:2 pu:1", "core:8 pu:1"};
  return {"core:1 pu:1", "core:2 pu:1", "core:8 pu:1", "core:64 pu:1"};
}

TEST_F(what_is_in_flight, is_never_more_than_the_limit_whoever_sends) {
  constexpr int senders = 3;
  const int each = slow ? 20 : 60;
  for (const network& form : forms())
    for (const char* cores : machines())
      for (const std::size_t limit : {1, 2, 16}) {
        SCOPED_TRACE(to_string(form) + " on " + cores + ", limit " + std::to_string(limit));
        peak_count inside;
        options how = on(cores);
        how.max_in_flight = limit;
        execution run = start(entering(inside) >> form >> leaving(inside), how);
        std::vector<std::thread> threads;
        for (int i = 0; i < senders; ++i)
          threads.emplace_back([&, i] {
            for (int m = 0; m < each; ++m) {
              if (m % 3)
                run.send(n = i * each + m);
              else
                while (!run.try_send(n = i * each + m)) std::this_thread::yield();
            }
          });
        for (std::thread& t : threads) t.join();
        run.close();
        run.wait();
        EXPECT_EQ(inside.now(), 0);
        EXPECT_LE(inside.peak(), static_cast<std::int64_t>(limit));
        const run_report r = run.report();
        EXPECT_EQ(r.sent, static_cast<std::uint64_t>(senders * each));
        EXPECT_EQ(r.failed + r.dropped, 0u);
        EXPECT_EQ(r.in_flight.limit, limit);
        EXPECT_EQ(r.in_flight.records, 0u) << "everything has left";
        EXPECT_LE(r.in_flight.peak, limit);
        EXPECT_GE(r.in_flight.peak, 1u);
      }
}

// An initialiser in an ordered network gives each record a position; else one position would last as long as the run.
TEST_F(what_is_in_flight, is_bounded_for_initialisers_too) {
  const std::int64_t count = slow ? 60 : 200;
  peak_count inside;
  const auto numbers = [&](const char* name, std::int64_t from) {
    return source(name, gives(n), [&, from](emitter& emit) {
      for (std::int64_t i = from; i < from + count; ++i) emit(n = i);
    });
  };
  const network in = entering(inside);
  const network low = numbers("low", 0), high = numbers("high", count);
  struct form {
    network net;
    std::int64_t records;
    bool keeps_order;
    bool waits = false;
  };
  for (const network& behind : forms())
    for (const form& f : {form{low >> in >> behind, count, false}, form{ordered(low >> in >> behind), count, true},
                          form{ordered(ordered(ordered(low >> in) >> behind)), count, true},
                          form{(low | high) >> in >> behind, 2 * count, false},
                          form{ordered((low | high) >> in >> behind), 2 * count, false, true},
                          form{(low | bypass()) >> in >> behind, count, false}})
      for (const char* cores : {"core:1 pu:1", "core:4 pu:1"})
        for (const std::size_t limit : {1, 3}) {
          const network net = f.net >> box("out", takes(n), gives(n), [&](std::int64_t v) {
                                inside.leave();
                                return v;
                              });
          SCOPED_TRACE(to_string(net) + " on " + cores + ", limit " + std::to_string(limit));
          inside.reset();
          options how = on(cores);
          how.max_in_flight = limit;
          execution run = start(net, how);
          run.close();
          std::int64_t got = 0;
          bool ascends = true;
          for (const record& r : run) ascends = ascends && r[n] == got, ++got;
          EXPECT_EQ(got, f.records);
          EXPECT_TRUE(ascends || !f.keeps_order);
          // In an ordered network, results of `high` wait until `low` is over.
          const std::size_t most = limit + (f.waits ? 2 : 0);
          EXPECT_LE(inside.peak(), static_cast<std::int64_t>(most));
          EXPECT_EQ(run.report().in_flight.records, 0u);
          EXPECT_LE(run.report().in_flight.peak, most);
          EXPECT_GE(run.report().in_flight.peak, 1u);
        }
}

// Records that are sent wait at the exit until the initialiser is over. They must not keep all the places that it
// needs.
TEST_F(what_is_in_flight, leaves_an_initialiser_room_that_others_wait_for) {
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    gate others;
    const network numbers = source("numbers", gives(n), [&](emitter& emit) {
      others.pass();
      for (std::int64_t i = 0; i < 50; ++i) emit(n = i);
    });
    options how = on(cores);
    how.max_in_flight = 2;
    execution run = start(ordered(numbers | bypass()) >> ordered(counting("a")), how);
    for (std::int64_t i = 50; i < 52; ++i) run.send(n = i);
    EXPECT_FALSE(run.try_send(n = 52));
    others.open();
    for (std::int64_t i = 52; i < 60; ++i) run.send(n = i);
    run.close();
    std::int64_t next = 1;
    for (const record& r : run) EXPECT_EQ(r[n], next++);
    EXPECT_EQ(next, 61);
    EXPECT_LE(run.report().in_flight.peak, 3u);
  }
}

TEST_F(what_is_in_flight, lets_in_what_an_initialiser_gives_without_threads_as_far_as_it_can) {
  options how;
  how.max_in_flight = 2;
  how.machine = machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform("core:2 pu:1")));
  const network net = source("numbers", gives(n),
                             [](emitter& emit) {
                               for (std::int64_t i = 0; i < 100; ++i) emit(n = i);
                             }) >>
                      counting("a") >> counting("b");
  execution run = start(net, how);
  EXPECT_EQ(all_of(run).size(), 100u);
  how.capacity = 1;
  execution other = start(counting("a") >> counting("b"), how);
  for (int i = 0; i < 100; ++i) other.send(n = i);
  other.close();
  EXPECT_EQ(all_of(other).size(), 100u);
  EXPECT_LE(other.report().in_flight.peak, 2u);
}

TEST_F(what_is_in_flight, makes_try_send_refuse_until_something_has_left) {
  gate hold;
  options how = on("core:4 pu:1");
  how.max_in_flight = 2;
  execution run = start(gated(hold) >> box("out", takes(n), gives_none, [](std::int64_t) {}), how);
  EXPECT_TRUE(run.try_send(n = 1));
  EXPECT_TRUE(run.try_send(n = 2));
  EXPECT_FALSE(run.try_send(n = 3));
  EXPECT_FALSE(run.try_send(n = 3));
  EXPECT_EQ(run.report().in_flight.records, 2u);
  EXPECT_EQ(run.report().sent, 2u);
  hold.open();
  EXPECT_TRUE(eventually([&] { return run.try_send(n = 3); }));
  run.close();
  run.wait();
  EXPECT_EQ(run.report().in_flight.peak, 2u);
}

// Although nothing leaves meanwhile: the gate stays shut until the sender has returned.
TEST_F(what_is_in_flight, holds_no_sender_up_when_the_run_ends) {
  for (const std::string end : {"stop", "close", "error", "destroy"}) {
    SCOPED_TRACE(end);
    gate hold, fail;
    options how = on("core:4 pu:1");
    how.max_in_flight = 2;
    const network bad = box("bad", takes(n, e), gives(n), [&](std::int64_t, std::int64_t) -> std::int64_t {
      fail.pass();
      throw std::runtime_error("as planned");
    });
    std::string refused;
    std::thread sender;
    {
      execution run = start(bad | gated(hold), how);
      run.send(n = 1);
      run.send(n = 2, e = 1);
      std::promise<void> sends;
      sender = std::thread([&] {
        sends.set_value();
        try {
          run.send(n = 3);
        } catch (const std::exception& error) {
          refused = error.what();
        }
      });
      sends.get_future().wait();
      for (int i = 0; i < 200; ++i) std::this_thread::yield();  // it may sleep by now; the test holds if it does not
      if (end == "stop") run.stop();
      if (end == "close") run.close();
      if (end == "error" || end == "close") fail.open();
      if (end == "destroy") run.stop();
      sender.join();
      hold.open();
      fail.open();
    }
    EXPECT_TRUE(refused != "" || end == "error") << "the record that failed has made room before the run ended";
  }
}

TEST_F(what_is_in_flight, does_not_count_what_a_synchrocell_holds) {
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    options how = on(cores);
    how.max_in_flight = 1;
    execution run = start(star(sync({pattern{a}, pattern{b}}), pattern{a, b}), how);
    for (int i = 0; i < 20; ++i) run.send(a = i);
    EXPECT_TRUE(eventually([&] { return run.report().in_flight.records == 0; }));
    for (int i = 0; i < 20; ++i) run.send(b = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 20u);
  }
}

TEST_F(what_is_in_flight, does_not_count_what_folds_filters_and_errors_took_nor_what_comes_at_the_end) {
  options how = on("core:2 pu:1");
  how.max_in_flight = 1;
  how.on_error = on_error::collect;
  const network net =
      filter(takes(n)).when(n % 3 > 0).emit(n = n, k = n % 2).otherwise() >>
      box("picky", takes(n), gives(n),
          [](std::int64_t v) { return v % 5 ? v : throw std::runtime_error("a fifth"); }) >>
      split(fold(
                "sum", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t v) { sum += v; },
                [](std::int64_t& sum, emitter& emit) { emit(n = sum); }),
            k);
  execution run = start(net, how);
  std::int64_t expected = 0, got = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    run.send(n = i);
    if (i % 3 && i % 5) expected += i;
  }
  run.close();
  for (const record& r : run) got += r[n];
  EXPECT_EQ(got, expected);
  EXPECT_EQ(run.report().in_flight.records, 0u);
  EXPECT_EQ(run.report().in_flight.peak, 1u);
}

TEST_F(what_is_in_flight, does_not_count_results_that_only_the_sender_could_read) {
  options how = on("core:2 pu:1");
  how.max_in_flight = 1;
  execution run = start(counting("a"), how);
  for (int i = 0; i < 500; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 500u);
}

TEST_F(what_is_in_flight, counts_results_that_wait_for_a_thread_that_reads) {
  for (const bool begins_to_send : {false, true}) {
    options how = on("core:2 pu:1");
    how.max_in_flight = 4;
    execution run = start(counting("a"), how);
    std::atomic<int> sent{0};
    std::promise<void> reads;
    std::thread sender([&] {
      run.send(n = 0);
      reads.get_future().wait();
      for (int i = 0; i < 100; ++i) run.send(n = i), ++sent;
    });
    auto result = run.begin();  // results are bounded from here on
    reads.set_value();
    EXPECT_TRUE(eventually([&] { return run.report().in_flight.records == 4; }));
    EXPECT_TRUE(eventually([&] { return run.report().streams.back().peak == 4; })) << "all that wait are results";
    EXPECT_EQ(sent, 4) << "no result was taken since";
    if (begins_to_send) run.send(n = 0);  // from now on nothing bounds the results that only this thread could read
    if (begins_to_send) sender.join();
    int count = 0;
    std::thread closer([&] {
      if (!begins_to_send) sender.join();
      run.close();
    });
    for (; result != run.end(); ++result) ++count;
    closer.join();
    EXPECT_EQ(count, begins_to_send ? 102 : 101);
    EXPECT_LE(run.report().in_flight.peak, 4u);
  }
}

TEST_F(what_is_in_flight, lets_all_in_when_the_reader_waits_for_the_end_instead) {
  options how = on("core:2 pu:1");
  how.max_in_flight = 2;
  execution run = start(counting("a"), how);
  std::promise<void> reads;
  std::thread sender([&] {
    run.send(n = 0);
    reads.get_future().wait();
    for (int i = 0; i < 100; ++i) run.send(n = i);
    run.close();
  });
  (void)run.begin();
  reads.set_value();
  run.wait();
  sender.join();
  EXPECT_EQ(run.report().results, 101u);
}

// A size function of the user's: n bytes.
options bytes_on(const char* cores, std::uint64_t most) {
  options how = on(cores);
  how.max_bytes_in_flight = most;
  how.record_bytes = [](const record& r) { return static_cast<std::uint64_t>(r.contains(n) ? r[n] : 0); };
  return how;
}

TEST_F(what_is_in_flight, has_no_more_bytes_than_allowed_but_for_one_record_that_is_larger) {
  constexpr std::int64_t most = 100;
  for (const char* cores : machines()) {
    peak_count bytes, records, large;
    std::atomic<bool> is_mixed{false};
    const network net = box("in", takes(n), gives(n),
                            [&](std::int64_t v) {
                              bytes.enter(v), records.enter(), large.enter(v > most);
                              if (v > most && bytes.now() != v) is_mixed = true;
                              return v;
                            }) >>
                        working("a") >> working("b") >> box("out", takes(n), gives_none, [&](std::int64_t v) {
                          bytes.leave(v), records.leave(), large.leave(v > most);
                        });
    execution run = start(net, bytes_on(cores, most));
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        for (std::int64_t m = 1; m <= 60; ++m) run.send(n = i == 0 && m % 20 == 0 ? most + m : m);
      });
    for (std::thread& t : threads) t.join();
    run.close();
    run.wait();
    EXPECT_LE(bytes.peak(), most + 60);
    EXPECT_EQ(large.peak(), 1);
    EXPECT_FALSE(is_mixed) << "a record that is larger than allowed was not alone";
    const in_flight_report r = run.report().in_flight;
    EXPECT_EQ(r.bytes_limit, static_cast<std::uint64_t>(most));
    EXPECT_EQ(r.bytes + r.records, 0u);
    EXPECT_EQ(r.bytes_peak, static_cast<std::uint64_t>(most + 60));
    EXPECT_GE(r.peak, static_cast<std::uint64_t>(records.peak()));
  }
}

TEST_F(what_is_in_flight, has_bytes_by_what_records_had_when_they_were_let_in) {
  gate hold;
  execution run =
      start(gated(hold) >> box("out", takes(n), gives_none, [](std::int64_t) {}), bytes_on("core:4 pu:1", 10));
  EXPECT_TRUE(run.try_send(n = 7));
  EXPECT_FALSE(run.try_send(n = 4));
  EXPECT_TRUE(run.try_send(n = 3));
  EXPECT_FALSE(run.try_send(n = 1));
  EXPECT_TRUE(run.try_send(n = 0)) << "it takes no bytes";
  EXPECT_FALSE(run.try_send(n = 1000)) << "others are in flight";
  EXPECT_EQ(run.report().in_flight.bytes, 10u);
  EXPECT_EQ(run.report().in_flight.records, 3u);
  hold.open();
  EXPECT_TRUE(eventually([&] { return run.try_send(n = 1000); }));
  run.close();
  run.wait();
  EXPECT_EQ(run.report().in_flight.bytes_peak, 1000u);
}

TEST_F(what_is_in_flight, has_no_bytes_of_records_whose_size_function_threw) {
  options how = on("core:2 pu:1");
  how.max_bytes_in_flight = 1;
  how.record_bytes = [](const record&) -> std::uint64_t { throw std::runtime_error("no size"); };
  execution run = start(counting("a"), how);
  for (int i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 10u);
  EXPECT_EQ(run.report().in_flight.bytes_peak, 0u);
  EXPECT_NE(run.report().full().find("no size"), std::string::npos);
}

// A goal on a rate is missed while the limit keeps records out.
TEST_F(what_is_in_flight, is_known_to_hold_records_back) {
  options how = on("core:2 pu:1");
  how.max_in_flight = 2;
  how.policy = adaptive{objective::latency_at(5000)};
  constexpr int count = 200;
  const auto slow = box("slow", takes(n), gives(n), [](std::int64_t v) {
                      spend(1'000'000);
                      return v;
                    }).serial();
  for (const bool is_sent : {true, false}) {
    SCOPED_TRACE(is_sent ? "sent" : "by an initialiser");
    execution run = start(is_sent ? network(slow)
                                  : source("numbers", gives(n),
                                           [](emitter& emit) {
                                             for (int i = 0; i < count; ++i) emit(n = i);
                                           }) >>
                                        slow,
                          how);
    std::thread sender([&] {
      for (int i = 0; is_sent && i < count; ++i) run.send(n = i);
      run.close();
    });
    all_of(run);
    sender.join();
    const run_report r = run.report();
    EXPECT_GT(r.in_flight.blocked_seconds, 0);
    EXPECT_EQ(r.in_flight.records, 0u);
    ASSERT_TRUE(r.goal);
    EXPECT_LT(r.goal->seconds_met, r.goal->seconds) << r.brief();
  }
}

TEST_F(what_is_in_flight, is_nothing_once_the_run_was_stopped) {
  options how = on("core:2 pu:1");
  how.max_in_flight = 4;
  execution run = start(counting("a"), how);
  for (int i = 0; i < 4; ++i) run.send(n = i);
  run.stop();
  run.wait();
  EXPECT_EQ(run.report().in_flight.records, 0u);
}

// The record that lets folds finish is the run's own, and no size function sees it.
TEST_F(what_is_in_flight, is_measured_of_records_of_the_user_alone) {
  options how = on("core:2 pu:1");
  std::atomic<int> strange = 0;
  how.record_bytes = [&](const record& r) -> std::uint64_t {
    strange += !r.contains(n);
    return 1;
  };
  execution run = start(counting("a") >> fold(
                                             "sum", takes(n), gives(n), std::int64_t{0},
                                             [](std::int64_t& sum, std::int64_t v) { sum += v; },
                                             [](std::int64_t& sum, emitter& emit) { emit(n = sum); }),
                        how);
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u);
  EXPECT_EQ(strange, 0);
}

TEST_F(what_is_in_flight, is_in_the_report_where_there_is_a_limit) {
  options how = bytes_on("core:2 pu:1", 50);
  how.max_in_flight = 3;
  execution run = start(counting("a"), how);
  run.send(n = 20);
  run.close();
  run.wait();
  const run_report r = run.report();
  EXPECT_EQ(nlohmann::json::parse(r.json())["in_flight"],
            nlohmann::json::parse(
                R"({"records": 0, "limit": 3, "peak": 1, "bytes": 0, "bytes_limit": 50, "bytes_peak": 20,
              "blocked_seconds": 0})"));
  const std::string line =
      "in flight: at most 1 records, option max_in_flight 3; 0 now; at most 20 bytes, option max_bytes_in_flight 50; 0 "
      "now\n";
  EXPECT_NE(r.brief().find("  " + line), std::string::npos) << r.brief();
  EXPECT_NE(r.full().find("\n" + line), std::string::npos) << r.full();
  execution other = start(counting("a"), on("core:2 pu:1"));
  other.send(n = 20);
  other.close();
  other.wait();
  const nlohmann::json without = nlohmann::json::parse(other.report().json());
  for (const auto& [key, value] : without["in_flight"].items()) EXPECT_TRUE(value.is_null()) << key;
  EXPECT_EQ(other.report().full().find("in flight"), std::string::npos);
}

TEST_F(what_is_in_flight, has_limits_that_are_checked) {
  const auto refusal_of = [&](const options& o) { return refusal<std::invalid_argument>([&] { o.validate(); }); };
  options o;
  o.max_in_flight = std::size_t(-1);
  EXPECT_EQ(refusal_of(o), "options.max_in_flight is 18446744073709551615, expected 0 (any number) to 2^30");
  o.max_in_flight = 1;
  o.max_bytes_in_flight = 5;
  EXPECT_EQ(refusal_of(o),
            "options.max_bytes_in_flight is 5 without options.record_bytes, expected a function that says how large a "
            "record is");
  o.max_bytes_in_flight = std::uint64_t(-1);
  EXPECT_EQ(refusal_of(o), "options.max_bytes_in_flight is 18446744073709551615, expected 0 (any number) to 2^62");
}

}  // namespace
}  // namespace weir
