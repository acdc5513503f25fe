#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Parts of resources that invocations need: box_network::needs().
namespace weir {
namespace {

using namespace testing;

class a_resource : public gives_all_back {
 protected:
  static std::string refused(const network& net, const options& o) {
    return refusal<std::invalid_argument>([&] { start(net, o).close(); });
  }
};

// Ten boxes in a chain need random amounts of three resources, on one to many lanes. WEIR_MORE_RECORDS=70 makes them a
// million records.
TEST_F(a_resource, is_never_used_beyond_its_total) {
  const std::array<resource, 3> all{resource("memory", 100), resource("licence", 2), resource("disk", 7)};
  for (const int threads : {1, 2, 5, 16, 64}) {
    std::array<peak_count, 3> used{};  // the runtime holds an amount longer, so none exceeds its total
    const auto amount = [](std::int64_t v, std::size_t box, std::size_t of) {
      const auto h = static_cast<std::uint64_t>(v * 31 + static_cast<std::int64_t>(box * 7 + of)) * 0x9E3779B97F4A7C15u;
      return static_cast<std::int64_t>((h >> 40) % (of == 0 ? 101u : of == 1 ? 3u : 8u));
    };
    network net = filter(takes(n)).emit(n);
    for (std::size_t b = 0; b < 10; ++b) {
      auto one = box("box" + std::to_string(b), takes(n), gives(n), [&used, amount, b](std::int64_t v) {
        for (std::size_t r = 0; r < used.size(); ++r)
          if (b % 3 != r) used[r].enter(amount(v, b, r));
        spend(v % 500);
        for (std::size_t r = 0; r < used.size(); ++r)
          if (b % 3 != r) used[r].leave(amount(v, b, r));
        return v;
      });
      for (std::size_t r = 0; r < used.size(); ++r)
        if (b % 3 != r)
          one = one.needs(all[r], [amount, b, r](std::int64_t v) { return static_cast<double>(amount(v, b, r)); });
      net = net >> one;
    }
    options o = on(std::to_string(threads), 4);
    execution run = start(net, o);
    const char* const more = std::getenv("WEIR_MORE_RECORDS");
    const std::int64_t count = (slow ? 300 : 3000) * (more ? std::atoll(more) : 1);
    sender_thread sender(run, count, [](std::int64_t i) { return record{n = i + 1}; });
    std::int64_t sum = 0;
    for (const record& r : run) sum += r[n];
    sender.join();
    EXPECT_EQ(sum, count * (count + 1) / 2);
    for (std::size_t r = 0; r < used.size(); ++r) {
      EXPECT_LE(used[r].peak(), all[r].total().value()) << all[r].name() << " on " << threads << " cores";
      EXPECT_EQ(used[r].now(), 0);
    }
    const run_report report = run.report();
    ASSERT_EQ(report.resources.size(), 3u);
    for (const resource_report& one : report.resources) {
      EXPECT_LE(one.peak, one.total);
      EXPECT_EQ(one.in_use, 0);
    }
  }
}

// Both boxes need all of it, and the stream between them holds one record: a box that kept the resource while it waits
// for room would wait for ever.
TEST_F(a_resource, is_not_held_while_outputs_wait_for_room) {
  const resource all{"all", 1};
  const network net = box("out", takes(n), gives(n),
                          [](std::int64_t v, emitter& emit) {
                            for (std::int64_t i = 0; i < 50; ++i) emit(n = v);
                          })
                          .needs(all, 1) >>
                      box("in", takes(n), gives(n), plus_one).needs(all, 1);
  for (const char* const cores : {"1", "2", "8"}) {
    options o = on(cores, 1);
    execution run = start(net, o);
    for (std::int64_t i = 0; i < 20; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 1000u);
  }
}

TEST_F(a_resource, ends_the_records_that_need_more_than_there_is_and_no_others) {
  const resource memory{"memory", 1000};
  const network net = box("decode", takes(n), gives(n), plus_one).needs(memory, [](std::int64_t v) {
    return v == 4 ? -1.0 : v == 5 ? std::numeric_limits<double>::quiet_NaN() : 300.0 * static_cast<double>(v);
  });
  options o = on("4");
  o.on_error = on_error::collect;
  execution run = start(net, o);
  for (std::int64_t i = 1; i <= 5; ++i) run.send(n = i);
  run.send(n = 1);
  run.close();
  EXPECT_EQ(all_of(run).size(), 4u);
  std::vector<std::string> said;
  for (const failure& f : run.errors()) {
    EXPECT_EQ(f.kind, failure_kind::needs_too_much);
    said.push_back(f.cause);
  }
  std::sort(said.begin(), said.end());
  EXPECT_EQ(said, (std::vector<std::string>{"it needs -1 of memory, expected 0 to 1000",
                                            "it needs nan of memory, expected 0 to 1000"}));
  execution too_much = start(box("decode", takes(n), gives(n), plus_one).needs(memory, 1001), o);
  too_much.send(n = 1);
  too_much.close();
  EXPECT_TRUE(all_of(too_much).empty());
  ASSERT_EQ(too_much.errors().size(), 1u);
  EXPECT_EQ(to_string(too_much.errors()[0]), "decode: it needs 1001 of memory, expected 0 to 1000; record {<n>=1}");
}

TEST_F(a_resource, fails_the_record_whose_need_cannot_be_computed) {
  const network net = box("decode", takes(n), gives(n), plus_one).needs(resource("memory"), [](std::int64_t v) {
    if (v == 2) throw std::runtime_error("no header");
    return 1.0;
  });
  options o = on("2");
  o.on_error = on_error::collect;
  execution run = start(net, o);
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 2u);
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_EQ(run.errors()[0].kind, failure_kind::box_threw);
  EXPECT_NE(run.errors()[0].cause.find("no header"), std::string::npos);
}

TEST_F(a_resource, has_one_total_that_is_known_when_the_run_starts) {
  const auto needing = [](const std::string& name, const resource& of) {
    return box(name, takes(n), gives(n), plus_one).needs(of, 1);
  };
  const options o = on("2");
  EXPECT_EQ(
      refused(needing("solve", resource("licence")), o),
      "resource licence, which box solve needs, has no total: expected one in option resources or where it is made");
  EXPECT_EQ(refused(needing("solve", {"licence", 2}) >> needing("mesh", {"licence", 3}), o),
            "resource licence: its total is 2 by box solve and 3 by box mesh, expected one total");
  options with = o;
  with.resources = {resource("licence", 1)};
  EXPECT_EQ(refused(needing("solve", {"licence", 2}) >> needing("mesh", {"licence", 3}), with), nothing_refused);
  EXPECT_EQ(refused(needing("read", resource("memory")), o), nothing_refused) << "the computer has memory";
  with.resources = {resource("licence")};
  EXPECT_EQ(refused(needing("solve", resource("licence")), with),
            "options.resources: licence has no total, expected resource{\"licence\", total}");
  with.resources = {resource("licence", 1), resource("licence", 2)};
  EXPECT_EQ(refused(needing("solve", resource("licence")), with),
            "resource licence: its total is 1 by option resources and 2 by option resources, expected one total");
  with.resources = {resource("licence", 1), resource("licnce", 2)};
  execution run = start(needing("solve", resource("licence")), with);
  run.close();
  run.wait();
  EXPECT_EQ(run.report().notes, std::vector<std::string>{"option resources: no box needs licnce"});
}

TEST_F(a_resource, has_a_name_and_a_total_and_is_needed_once) {
  EXPECT_THROW(resource(""), std::invalid_argument);
  EXPECT_THROW(resource("licence", 0), std::invalid_argument);
  EXPECT_EQ(refusal([] { box("f", takes(n), gives(n), plus_one).needs(resource("a"), -1); }),
            "box f: it needs -1 of a, expected 0 or more");
  EXPECT_EQ(refusal([] { box("f", takes(n), gives(n), plus_one).needs(resource("a"), 1).needs(resource("a"), 2); }),
            "box f: needs(a, ..) stands twice, expected once");
  EXPECT_EQ(2_KiB + 3_MiB + 1_GiB, 2048 + 3 * 1048576 + 1073741824);
}

// The second run's box waits as long as the first run's box has the resource.
TEST_F(a_resource, is_shared_by_the_runs_of_a_machine) {
  const options o = on("4");
  const resource one{"one", 1};
  gate held;
  std::atomic<int> ran{0};
  execution first = start(box("first", takes(n), gives(n),
                              [&](std::int64_t v) {
                                held.pass();
                                ++ran;
                                return v;
                              })
                              .needs(one, 1),
                          o);
  first.send(n = 1);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  execution second = start(box("second", takes(n), gives(n),
                               [&](std::int64_t v) {
                                 EXPECT_EQ(ran, 1) << "it ran while the other run had all of the resource";
                                 return v;
                               })
                               .needs(one, 1),
                           o);
  second.send(n = 1);
  second.close();
  first.close();
  EXPECT_EQ(second.report().resources.at(0).in_use, 1);
  held.open();
  EXPECT_EQ(all_of(second).size(), 1u);
  EXPECT_EQ(all_of(first).size(), 1u);
}

TEST_F(a_resource, lets_a_stopped_run_end_that_waits_for_it) {
  const options o = on("4", 16);
  const resource one{"one", 1};
  gate held;
  execution holder = start(box("holder", takes(n), gives(n),
                               [&](std::int64_t v) {
                                 held.pass();
                                 return v;
                               })
                               .needs(one, 1),
                           o);
  holder.send(n = 1);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  {
    execution waits = start(box("waits", takes(n), gives(n), plus_one).needs(one, 1), o);
    for (std::int64_t i = 0; i < 8; ++i) waits.send(n = i);
    waits.stop();
    EXPECT_TRUE(all_of(waits).empty());
    const run_report r = waits.report();
    EXPECT_EQ(r.sent, r.results + r.failed + r.dropped);
  }
  held.open();
  holder.close();
  EXPECT_EQ(all_of(holder).size(), 1u);
}

// Each invocation says its amount. One runs at a time until four have; after that as many as fit.
TEST_F(a_resource, is_divided_by_what_invocations_were_seen_to_use) {
  const resource memory{"memory", 1000};
  std::atomic<int> inside{0};
  std::atomic<std::int64_t> said{0};
  peak_count used;
  std::atomic<int> most_before{0}, most_after{0};
  const auto work = [&](const grant& given, std::int64_t v) {
    const std::int64_t bytes = 90 + v % 10;
    const std::int64_t known = said;
    const int now = ++inside;
    raise_to(known < 4 ? most_before : most_after, now);
    used.enter(bytes);
    if (known >= 4 && now < 3) eventually([&] { return inside > 2; }, std::chrono::milliseconds(20));
    EXPECT_TRUE(given.used(memory, bytes / 2));
    EXPECT_TRUE(given.used(memory, bytes));
    EXPECT_FALSE(given.used(resource("other"), bytes)) << "the box learns no need of it";
    EXPECT_FALSE(given.used(memory, -1));
    used.leave(bytes);
    --inside;
    ++said;
    return v;
  };
  options o = on("8");
  execution run = start(box("decode", takes(n), gives(n), work).needs(memory, learnt), o);
  for (std::int64_t i = 0; i < 200; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 200u);
  EXPECT_EQ(most_before, 1) << "nothing is known of what an invocation uses";
  EXPECT_GT(most_after, 1) << "ten of them fit";
  EXPECT_LE(used.peak(), 1000);
}

// A value of each_lane(), the state of a fold and a thread outside the cores are held by invocations that need a
// resource like any others.
TEST_F(a_resource, goes_with_all_kinds_of_boxes) {
  const resource one{"one", 1};
  peak_count used;
  const auto work = [&](std::int64_t v) {
    used.enter();
    spend(100);
    used.leave();
    return v;
  };
  const network net = box("lane", takes(n), gives(n), [&](int&, std::int64_t v) { return work(v); })
                          .each_lane([] { return 0; })
                          .needs(one, 1) >>
                      box("outside", takes(n), gives(n), work).blocking(4).needs(one, 1) >>
                      box("serial", takes(n), gives(n), work).serial().needs(one, 1) >>
                      split(box("split", takes(n, k), gives(n), [&](std::int64_t v, std::int64_t) { return work(v); })
                                .width(2)
                                .needs(one, 1),
                            k);
  for (const char* const cores : {"1", "4"}) {
    execution run = start(net, on(cores, 2));
    sender_thread sender(run, 400, [](std::int64_t i) { return record{n = i, k = i % 5}; });
    EXPECT_EQ(all_of(run).size(), 400u);
    sender.join();
    EXPECT_EQ(used.peak(), 1);
  }
}

// A fold and a serial box that emits run one invocation at a time, also behind two regions. The resource would let more
// run.
TEST_F(a_resource, leaves_states_and_serial_boxes_to_one_invocation) {
  const resource many{"many", 8};
  peak_count inside;
  const auto alone = [&] {
    const peak_count::visit here(inside);
    spend(50);
  };
  const auto numbers = box("f", takes(n), gives(n), plus_one) | box("g", takes(x), gives(n), plus_one);
  const network folded =
      numbers >>
      fold("sum", takes(n), gives(n), std::int64_t{0}, [&](std::int64_t& sum, std::int64_t v, emitter& emit) {
        alone();
        emit(n = sum += v);
      }).needs(many, 1);
  const network serial = numbers >> box("serial", takes(n), gives(n),
                                        [&](std::int64_t v, emitter& emit) {
                                          alone();
                                          emit(n = v);
                                        })
                                        .serial()
                                        .needs(many, 1);
  for (const network& net : {folded, serial}) {
    options o = on("4");
    o.policy = fixed_shares({{"f", 1}, {"g", 1}});
    execution run = start(net, o);
    std::thread sender([&] {
      for (std::int64_t i = 0; i < 2000; ++i) i % 2 ? run.send(n = i) : run.send(x = i);
      run.close();
    });
    EXPECT_EQ(all_of(run).size(), 2000u);
    sender.join();
    EXPECT_EQ(inside.peak(), 1);
  }
}

TEST_F(a_resource, is_given_back_by_boxes_that_throw_or_emit_until_the_run_stops) {
  const resource one{"one", 1};
  options o = on("4");
  o.on_error = on_error::collect;
  execution run = start(box("throws", takes(n), gives(n),
                            [](std::int64_t v) {
                              if (v % 2) throw std::runtime_error("odd");
                              return v;
                            })
                            .needs(one, 1),
                        o);
  for (std::int64_t i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 50u);
  EXPECT_EQ(run.report().resources.at(0).in_use, 0);
  std::atomic<bool> has_begun{false};
  execution endless = start(box("endless", takes(n), gives(n),
                                [&](std::int64_t v, emitter& emit) {
                                  for (;; has_begun = true) emit(n = v);
                                })
                                .needs(one, 1),
                            o);
  endless.send(n = 1);
  EXPECT_TRUE(eventually([&] { return has_begun.load(); }));
  endless.stop();
  all_of(endless);
  EXPECT_EQ(endless.report().resources.at(0).in_use, 0);
  EXPECT_EQ(endless.report().dropped, 1u);
}

TEST_F(a_resource, stands_in_every_form_of_the_report) {
  const resource licence{"solver licence", 3};
  execution run = start(box("solve", takes(n), gives(n), plus_one).needs(licence, 2), on("2"));
  for (std::int64_t i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  all_of(run);
  const run_report r = run.report();
  EXPECT_NE(r.full().find("solver licence: at most 2 of 3 in use; 0 now"), std::string::npos) << r.full();
  EXPECT_NE(r.brief().find("solver licence: at most 2 of 3 in use; 0 now"), std::string::npos);
  const auto json = nlohmann::json::parse(r.json());
  EXPECT_EQ(json.at("resources").dump(), R"([{"in_use":0,"name":"solver licence","peak":2,"total":3}])");
  const std::string metrics = metrics_text(r);
  EXPECT_NE(metrics.find(R"(weir_resource_total{run="weir",resource="solver licence"} 3)"), std::string::npos)
      << metrics;
}

}  // namespace
}  // namespace weir
