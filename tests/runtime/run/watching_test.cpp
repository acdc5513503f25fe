#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Observing a network while it runs: observers see passing records, a tracer sees events.
namespace weir {
namespace {

using namespace testing;
using texts = std::vector<std::string>;

// ---- observe ----

class an_observer : public gives_all_back {
 protected:
  static std::vector<options> everywhere() {
    std::vector<options> all;
    for (const char* cores : {"core:1 pu:1", "core:8 pu:1"})
      for (const std::size_t capacity : {1, 0}) {
        options o;
        o.machine = machine::synthetic(cores);
        o.capacity = capacity;
        o.on_error = on_error::collect;
        all.push_back(std::move(o));
      }
    return all;
  }
};

TEST_F(an_observer, sees_each_record_that_comes_out_as_it_is_and_where) {
  for (const options& o : everywhere()) {
    texts seen;  // one call at a time, so it needs no lock
    const network f = box("f", takes(n), gives(n), plus_one);
    const network net = bypass() >> observe(f, [&](const record& r, std::string_view path) {
                          seen.push_back(to_string(r) + " at " + std::string(path));
                        });
    execution run = start(net, o);
    for (int i = 0; i < 3; ++i) run.send(n = i, k = 7);
    run.close();
    EXPECT_EQ(all_of(run).size(), 3u);
    std::ranges::sort(seen);  // lanes of f end in any order
    EXPECT_EQ(seen, (texts{"{<k>=7, <n>=1} at :S2", "{<k>=7, <n>=2} at :S2", "{<k>=7, <n>=3} at :S2"}));
  }
}

TEST_F(an_observer, inside_stars_and_splits_is_told_the_stage_and_the_value) {
  for (const options& o : everywhere()) {
    std::map<std::string, int> seen;
    const network down = observe(filter(takes(n)).emit(n = n - 1),
                                 [&](const record&, std::string_view path) { ++seen[std::string(path)]; });
    execution run = start(split(star(down, pattern{n}.where(n == 0)), k), o);
    run.send(n = 3, k = 5);
    run.send(n = 1, k = -2);
    run.close();
    EXPECT_EQ(all_of(run).size(), 2u);
    EXPECT_EQ(seen, (std::map<std::string, int>{{":I5:R1", 1}, {":I5:R2", 1}, {":I5:R3", 1}, {":I-2:R1", 1}}));
  }
}

// Eight threads of two runs run the branches of the split concurrently; `seen` has no lock.
TEST_F(an_observer, is_called_by_one_thread_at_a_time_whatever_places_and_runs_there_are) {
  constexpr int records = 2000;
  std::atomic<int> inside{0}, most{0};
  std::vector<std::int64_t> seen;
  const network net = split(observe(box("f", takes(n), gives(n),
                                        [](std::int64_t i) {
                                          busy(std::chrono::microseconds(20));
                                          return i;
                                        }),
                                    [&](const record& r, std::string_view) {
                                      most = std::max<int>(most, ++inside);
                                      seen.push_back(r[n]);
                                      busy(std::chrono::microseconds(2));
                                      --inside;
                                    }),
                            k);
  options o;
  o.machine = machine::synthetic("core:8 pu:1");
  execution one = start(net, o), two = start(net, o);
  for (int i = 0; i < records; ++i)
    for (execution* run : {&one, &two}) run->send(n = i, k = i % 8);
  for (execution* run : {&one, &two}) run->close();
  EXPECT_EQ(all_of(one).size() + all_of(two).size(), 2u * records);
  EXPECT_EQ(seen.size(), 2u * records);
  EXPECT_EQ(most, 1);
}

TEST_F(an_observer, that_throws_ends_the_record_and_loses_nothing_else) {
  for (const options& o : everywhere()) {
    const network net = observe(box("f", takes(n), gives(n), plus_one), [](const record& r, std::string_view) {
      if (r[n] == 2) throw std::runtime_error("not this one");
    });
    execution run = start(net, o);
    for (int i = 0; i < 4; ++i) run.send(n = i);
    run.close();
    std::vector<std::int64_t> got;
    for (const record& r : run) got.push_back(r[n]);
    EXPECT_EQ(got, (std::vector<std::int64_t>{1, 3, 4}));
    ASSERT_EQ(run.errors().size(), 1u);
    EXPECT_EQ(run.errors().front().cause, "the observer threw \"not this one\"");
    EXPECT_EQ(run.errors().front().record, "{<n>=2}");
  }
}

// ---- tracer ----

class a_live_trace : public gives_all_back {
 protected:
  static std::map<trace_kind, int> counts(const std::vector<trace_event>& events) {
    std::map<trace_kind, int> of;
    for (const trace_event& e : events) ++of[e.kind];
    return of;
  }
};

TEST_F(a_live_trace, has_an_event_of_each_kind_with_its_entity_path_and_cause) {
  tracer t;
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.capacity = 1;
  o.on_error = on_error::collect;
  o.policy = fixed_shares{{"burst", 1}, {"slow", 1}};
  o.trace = t;
  const network burst = box("burst", takes(n), gives(x), [](std::int64_t many, emitter& emit) {
    for (std::int64_t i = 0; i < many; ++i) emit(x = i);
  });
  const network slow = box("slow", takes(x), gives(a), [](std::int64_t i) {
    spend(50000);
    if (i == 3) throw std::runtime_error("three");
    return static_cast<int>(i);
  });
  const network pairs = star(sync({a}, {b}), pattern{a, b});
  execution run = start((burst >> slow | bypass()) >> pairs, o);
  run.send(n = 300);
  for (int i = 0; i < 299; ++i) run.send(b = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 299u);
  const run_report report = run.report();

  const std::vector<trace_event> events = t.events();
  auto of = counts(events);
  EXPECT_EQ(of[trace_kind::invocation], 301) << "one of burst, the others of slow";
  EXPECT_GE(of[trace_kind::move], 2) << "each box got a core";
  EXPECT_GE(of[trace_kind::block], 1) << "burst emits more than a stream of one record takes";
  EXPECT_EQ(of[trace_kind::unblock], of[trace_kind::block]);
  EXPECT_EQ(static_cast<std::uint64_t>(of[trace_kind::unfold]), report.unfolded);
  EXPECT_EQ(static_cast<std::uint64_t>(of[trace_kind::remove]), report.removed);
  EXPECT_EQ(report.unfolded, 299u);
  EXPECT_EQ(report.removed, 299u);
  EXPECT_EQ(of[trace_kind::error], 1);
  for (const trace_event& e : events) {
    EXPECT_FALSE(e.entity.empty());
    EXPECT_GE(e.start, 0);
    EXPECT_GE(e.seconds, 0);
    if (e.kind == trace_kind::error) {
      EXPECT_EQ(e.entity, "slow");
      EXPECT_EQ(e.path, ":S1:P1:S2");
      EXPECT_NE(e.detail.find("three"), std::string::npos) << e.detail;
    }
    if (e.kind == trace_kind::block) {
      EXPECT_EQ(e.path, ":S1:P1:S1");
    }
    if (e.kind == trace_kind::unfold) {
      EXPECT_EQ(e.path.rfind(":S2:R", 0), 0u) << e.path;
    }
    if (e.kind != trace_kind::move) {
      EXPECT_TRUE(e.core == 0 || e.core == 1) << e.core;
    }
    if (e.kind == trace_kind::invocation) {
      EXPECT_EQ(e.cores, 1);
    }
  }
}

// A serial box has no two concurrent invocations, in the timeline either.
TEST_F(a_live_trace, of_a_serial_box_at_two_places_has_no_two_invocations_at_once) {
  tracer t;
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  o.trace = t;
  const network one = box("one", takes(n), gives(n), [](std::int64_t i) {
                        spend(30000);
                        return i;
                      }).serial();
  execution run = start((filter(takes(a)).emit(n = 1) >> one) | (filter(takes(b)).emit(n = 2) >> one), o);
  for (int i = 0; i < 100; ++i) i % 2 ? run.send(a = i) : run.send(b = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 100u);
  double free_from = 0;
  int invocations = 0;
  for (const trace_event& e : t.events()) {
    if (e.kind != trace_kind::invocation) continue;
    ++invocations;
    EXPECT_GE(e.start, free_from - 1e-9);
    free_from = e.start + e.seconds;
  }
  EXPECT_EQ(invocations, 100);
}

TEST_F(a_live_trace, is_a_timeline_with_every_invocation_on_the_track_of_a_core) {
  tracer t;
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  o.trace = t;
  const network busy = box("busy", takes(n), gives(n), [](std::int64_t i) {
    spend(20000);
    return i;
  });
  const int records = slow ? 50 : 200;
  execution run = start(busy >> box("more", takes(n), gives(n), plus_one), o);
  for (int i = 0; i < records; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), static_cast<std::size_t>(records));
  const nlohmann::json file = parsed(t.chrome_json());
  std::map<int, std::string> tracks;
  for (const auto& e : file["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "thread_name") tracks[e["tid"]] = e["args"]["name"];
  int spans = 0;
  for (const auto& e : file["traceEvents"]) {
    if (e["ph"] != "X") continue;
    ++spans;
    ASSERT_TRUE(tracks.count(e["tid"])) << e;
    EXPECT_EQ(tracks[e["tid"]].rfind("core ", 0), 0u) << tracks[e["tid"]];
  }
  EXPECT_GE(spans, records) << "each invocation of busy";
}

TEST_F(a_live_trace, of_a_run_that_is_stopped_has_what_happened_until_then) {
  tracer t;
  {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.trace = t;
    execution run = start(star(filter(takes(n)).emit(n = n - 1), pattern{n}.where(n == 0)), o);
    run.send(n = 5);
    auto results = run.begin();
    EXPECT_EQ((*results)[n], 0);
    run.stop();
  }
  EXPECT_EQ(counts(t.events())[trace_kind::unfold], 5);
}

}  // namespace
}  // namespace weir
