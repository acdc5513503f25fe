#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <weir/scheduler/place/placement.hpp>
#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Option inline_send: a thread that sends into an idle network runs short boxes itself.
namespace weir {
namespace {

using namespace testing;

class an_inline_send : public gives_all_back {};

options inline_on(const char* cores) {
  options o;
  o.machine = machine::synthetic(cores);
  o.inline_send = true;
  return o;
}

void pass(std::chrono::nanoseconds span) {
  for (const auto end = std::chrono::steady_clock::now() + span; std::chrono::steady_clock::now() < end;) {
  }
}

// Sends one record after the other into an idle network and reads each result, until `enough` returns true or the given
// number is sent.
template <class Enough>
std::int64_t send_with_gaps(execution& run, std::int64_t most, const Enough& enough) {
  for (std::int64_t i = 0; i < most; ++i) {
    pass(std::chrono::microseconds(150));
    run.send(n = i);
    const record got = *run.begin();
    EXPECT_EQ(got[n], i + 1);
    if (enough()) return i + 1;
  }
  return most;
}

TEST_F(an_inline_send, runs_short_boxes_on_the_senders_thread) {
  std::atomic<int> by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  execution run = start(box("f", takes(n), gives(n),
                            [&](std::int64_t v) {
                              by_sender += std::this_thread::get_id() == sender;
                              return v + 1;
                            }),
                        inline_on("core:2 pu:1"));
  const std::int64_t sent = send_with_gaps(run, 100'000, [&] { return by_sender >= 20; });
  EXPECT_GE(by_sender, 20);
  run.close();
  run.wait();
  EXPECT_EQ(run.report().results, static_cast<std::uint64_t>(sent));
}

TEST_F(an_inline_send, leaves_what_is_long_and_what_is_unknown_to_workers) {
  std::atomic<int> by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  for (const char* cores : {"core:1 pu:1", "core:3 pu:1"}) {
    execution run = start(box("f", takes(n), gives(n),
                              [&](std::int64_t v) {
                                by_sender += std::this_thread::get_id() == sender;
                                pass(std::chrono::microseconds(40));
                                return v + 1;
                              }),
                          inline_on(cores));
    send_with_gaps(run, 300, [] { return false; });
  }
  EXPECT_EQ(by_sender, 0);
}

TEST_F(an_inline_send, is_what_a_try_send_never_does) {
  std::atomic<int> by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  execution run =
      start(box("f", takes(n), gives_none, [&](std::int64_t) { by_sender += std::this_thread::get_id() == sender; }),
            inline_on("core:2 pu:1"));
  for (int i = 0; i < 1000; ++i) {
    pass(std::chrono::microseconds(150));
    run.try_send(n = i);
  }
  run.close();
  run.wait();
  EXPECT_EQ(by_sender, 0);
}

// Holds for senders with gaps of any length, boxes that fail and are sometimes short and sometimes long, changing
// grants, and one core or several. Every record comes out once, processed by every box, in the order of its sender.
TEST_F(an_inline_send, loses_nothing_and_keeps_the_order) {
  const int records = 600;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    std::mt19937_64 random(seed);
    const int cores = 1 + static_cast<int>(seed % 3), senders = 1 + static_cast<int>(seed % 2);
    options o = inline_on(("core:" + std::to_string(cores) + " pu:1").c_str());
    o.on_error = on_error::collect;
    o.capacity = seed % 2 ? 2 : 0;
    o.policy = random_shares(seed);
    const auto failing = [](std::int64_t v) {
      if (v % 97 == 5) throw std::runtime_error("it fails");
      return v;
    };
    const auto changing = [](std::int64_t v) {
      if (v / 100 % 2) pass(std::chrono::microseconds(v % 50));
      return v + 1;
    };
    const network net = box("failing", takes(n), gives(n), failing) >>
                        ordered(split(box("changing", takes(n), gives(n), changing), k)) >>
                        box("last", takes(n), gives(n), plus_one);
    detail::run_state run(net, o);
    std::map<std::int64_t, std::int64_t> next;
    std::uint64_t results = 0;
    std::thread reader([&] {
      for (record r; run.next(r); ++results) {
        std::int64_t& expected = next[r[k]];
        if (expected % 97 == 5) ++expected;
        EXPECT_EQ(r[n], expected + 2) << "seed " << seed << ", sender " << r[k];
        ++expected;
      }
    });
    {
      const grant_changer changer(run, o.machine, 20, seed);
      std::vector<std::thread> all;
      for (int one = 0; one < senders; ++one)
        all.emplace_back([&run, one, gap = random()]() mutable {
          for (int i = 0; i < records; ++i) {
            gap = gap * 6364136223846793005u + 1442695040888963407u;
            pass(std::chrono::nanoseconds(gap >> 47));  // up to 131 us
            run.send(record(n = i, k = one));
          }
        });
      for (std::thread& t : all) t.join();
    }
    run.close();
    reader.join();
    const run_report r = run.report();
    EXPECT_EQ(r.sent, static_cast<std::uint64_t>(senders * records));
    EXPECT_EQ(r.sent, results + r.failed) << r.full();
    EXPECT_EQ(r.failed, static_cast<std::uint64_t>(senders * ((records - 1 - 5) / 97 + 1)));
  }
}

// The run is stopped from another thread while the sender runs a box: the send ends when that invocation ends.
TEST_F(an_inline_send, that_is_stopped_inside_a_box_ends_with_it) {
  std::atomic<bool> holds{false};
  std::atomic<std::thread::id> sending;
  gate held;
  execution run = start(box("f", takes(n), gives(n),
                            [&](std::int64_t v) {
                              if (holds && std::this_thread::get_id() == sending) holds = false, held.pass();
                              return v + 1;
                            }),
                        inline_on("core:2 pu:1"));
  std::thread sender([&] {
    sending = std::this_thread::get_id();
    try {
      for (std::int64_t i = 0; held.arrived() == 0; ++i) {
        pass(std::chrono::microseconds(150));
        run.send(n = i);
        if (i == 300) holds = true;
      }
    } catch (const send_error&) {  // after the stop
    }
  });
  EXPECT_TRUE(held.wait_for_arrivals(1));
  run.stop();
  std::thread waits([&] { run.wait(); });
  held.open();
  waits.join();
  sender.join();
  const run_report r = run.report();
  EXPECT_EQ(r.failed, 0u);
  EXPECT_LE(r.results, r.sent);
}

// A box that a sender runs inline may send to another run, as any box may; it must not wait for its own run.
TEST_F(an_inline_send, within_an_inline_send_to_another_run_is_left_to_workers) {
  std::atomic<int> inner_by_sender{0}, outer_by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  execution inner = start(box("inner", takes(n), gives_none,
                              [&](std::int64_t) { inner_by_sender += std::this_thread::get_id() == sender; }),
                          inline_on("core:2 pu:1"));
  execution outer = start(box("outer", takes(n), gives(n),
                              [&](std::int64_t v) {
                                outer_by_sender += std::this_thread::get_id() == sender;
                                if (v % 8 == 0) inner.send(n = v);  // short on average
                                return v + 1;
                              }),
                          inline_on("core:2 pu:1"));
  send_with_gaps(outer, 100'000, [&] { return outer_by_sender >= 5; });
  EXPECT_GE(outer_by_sender, 5);
  outer.close();
  outer.wait();
  inner.close();
  inner.wait();
  EXPECT_EQ(inner_by_sender, 0);
  EXPECT_EQ(inner.report().sent, (outer.report().sent + 7) / 8);
}

// A box that emits waits for free places, for example for the reader of the results. A sender must not wait for that,
// since it may be that reader.
TEST_F(an_inline_send, leaves_boxes_that_emit_to_workers) {
  constexpr int each = 4;
  std::atomic<int> by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  options o = inline_on("core:2 pu:1");
  o.results_capacity = each / 2;
  execution run = start(box("each", takes(n), gives(n),
                            [&](std::int64_t v, emitter& emit) {
                              by_sender += std::this_thread::get_id() == sender;
                              for (int i = 0; i < each; ++i) emit(n = v);
                            }),
                        o);
  for (std::int64_t i = 0; i < 300; ++i) {
    pass(std::chrono::microseconds(150));
    run.send(n = i);
    for (int k = 0; k < each; ++k) {
      const record got = *run.begin();
      EXPECT_EQ(got[n], i);
    }
  }
  EXPECT_EQ(by_sender, 0);
}

// The box may start threads, which inherit the affinity of their parent: a sender's cores are not the grant's.
TEST_F(an_inline_send, leaves_boxes_that_take_a_grant_to_workers) {
  std::atomic<int> by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  execution run = start(box("f", takes(n), gives(n),
                            [&](const grant&, std::int64_t v) {
                              by_sender += std::this_thread::get_id() == sender;
                              return v + 1;
                            }),
                        inline_on("core:2 pu:1"));
  send_with_gaps(run, 1000, [] { return false; });
  EXPECT_EQ(by_sender, 0);
}

// `long` has a core of its own, if there are two.
struct long_apart : allocation_rule {
  std::string name() const override { return "long apart"; }
  allotment decide(const system_view& view) const override {
    core_counts counts;
    counts.components.resize(view.components.size());
    counts.shared = 1;
    for (std::size_t i = 0; i < view.components.size() && view.cores.size() > 1; ++i)
      if (view.components[i].name == "long") counts.components[i].cores = 1;
    return place(counts, view);
  }
};

// When a long box joins the shared group, it is fused to boxes that were short until then.
TEST_F(an_inline_send, leaves_to_workers_what_has_just_become_long) {
  std::atomic<int> short_by_sender{0}, long_by_sender{0};
  const std::thread::id sender = std::this_thread::get_id();
  options o = inline_on("core:2 pu:1");
  o.policy = long_apart{};
  detail::run_state run(box("short", takes(n), gives(n),
                            [&](std::int64_t v) {
                              short_by_sender += std::this_thread::get_id() == sender;
                              return v;
                            }) >>
                            box("long", takes(n), gives(n),
                                [&](std::int64_t v) {
                                  long_by_sender += std::this_thread::get_id() == sender;
                                  pass(std::chrono::milliseconds(2));
                                  return v;
                                }),
                        o);
  std::int64_t next = 0;
  const auto until = [&](const auto& enough) {
    for (int i = 0; i < 20'000 && !enough(); ++i) {
      pass(std::chrono::microseconds(150));
      run.send(record(n = next));
      record r;
      ASSERT_TRUE(run.next(r));
      EXPECT_EQ(r[n], next++);
    }
  };
  for (int round = 0; round < 5; ++round) {
    const auto owns = [&] {
      for (const component_report& c : run.report().components)
        if (c.name == "long") return c.cores > 0;
      return false;
    };
    run.set_partition(core_set{0, 1});
    until([&, before = short_by_sender.load()] { return owns() && short_by_sender > before; });
    EXPECT_TRUE(owns());
    run.set_partition(core_set{0});
    until([&] { return !owns(); });
    until([&, end = next + 20] { return next == end; });
  }
  EXPECT_EQ(long_by_sender, 0);
  run.close();
}

// Records that a callback sends, from the deciding thread or inside an invocation, are left to workers.
TEST_F(an_inline_send, from_a_callback_of_another_run_is_left_to_workers) {
  const int enough = fewer(1000);
  static thread_local bool in_callback = false;
  std::atomic<int> in_callbacks{0}, sent{0};
  execution inner = start(box("inner", takes(n), gives_none, [&](std::int64_t) { in_callbacks += in_callback; }),
                          inline_on("core:2 pu:1"));
  options o = inline_on("core:2 pu:1");
  o.inline_send = false;
  o.on_observation = [&](std::string_view, const observation&) {
    in_callback = true;
    inner.send(n = ++sent);
    in_callback = false;
  };
  {
    execution outer = start(box("outer", takes(n), gives(n),
                                [](std::int64_t v) {
                                  pass(std::chrono::microseconds(40));  // long enough for each to be observed
                                  return v + 1;
                                }),
                            o);
    send_with_gaps(outer, 100'000, [&] { return sent >= enough; });
  }
  EXPECT_GE(sent, enough);
  inner.close();
  inner.wait();
  EXPECT_EQ(in_callbacks, 0);
}

}  // namespace
}  // namespace weir
