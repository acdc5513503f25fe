#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/placed/a_placed_network.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gate.hpp"

// The results of a network on several ranks, and the share of its input that it admits.
namespace weir::placed_test {
namespace {

TEST_F(a_placed_network, gives_in_order_what_it_would_give_at_home) {
  std::vector<record> inputs;
  texts expected;
  for (int i = 0; i < 5000; ++i) {
    inputs.emplace_back(number = i, text = std::to_string(i));
    expected.push_back("{text=" + std::to_string(i) + ", <number>=" + std::to_string(2 * i) + "}");
  }
  EXPECT_EQ(results_of(2, at(doubling(), 1), inputs), expected);
  EXPECT_EQ(results_of(3, at(doubling(), -1), inputs), expected) << "numbers count modulo the ranks";
}

// When a record is over, the fold still writes to its state, to let the next record in. If it was the last record, rank
// 0 then ends the state, and must not do so before that write. It takes many short runs and the address sanitizer.
TEST_F(a_placed_network, ends_a_fold_after_its_last_record_left_it) {
  for (int i = 0; i < 200; ++i) {
    several_ranks all(
        2, [](int) { return at(split(adding(), key), 1); },
        [](int) {
          options o;
          o.machine = machine::synthetic("core:4 pu:1");
          o.policy = fixed_shares{{"add", 3, 3}};
          return o;
        });
    all.run().send(number = 1, key = 0);
    all.run().close();
    texts got;
    for (const record& r : all.run()) got.push_back(to_string(r));
    ASSERT_EQ(got, texts{"{<sum>=1}"}) << "run " << i;
  }
}

TEST_F(a_placed_network, calls_its_home_from_within) {
  const network back = at(box("home", takes(number), gives(number), [](std::int64_t v) { return v + 1; }), 0);
  texts expected;
  for (int i = 0; i < 500; ++i)
    expected.push_back("{<key>=" + std::to_string(i % 7) + ", <number>=" + std::to_string(4 * i + 2) + "}");
  const network again = box("again", takes(number), gives(number), doubled);
  EXPECT_EQ(results_of(2, at(doubling() >> back >> at(again, 1), 1), numbers(500)), expected);
}

// The far side asks for neither `local`, which has no codec, nor for the tag.
TEST_F(a_placed_network, lets_stay_at_home_what_it_does_not_ask_for) {
  const auto whole = std::make_shared<int>(7);
  several_ranks all(
      2, [](int) { return at(doubling(), 1) | bypass(); }, two_cores);
  execution& run = all.run();
  for (int i = 0; i < 100; ++i) run.send(number = i, key = 3, local = handle{whole});
  run.close();
  int count = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[local].to, whole) << "the value itself";
    EXPECT_EQ(r[key], 3);
    ++count;
  }
  EXPECT_EQ(count, 100);
  all.finish();
  EXPECT_EQ(whole.use_count(), 1) << "nothing keeps what stayed at home";
}

// The first of the merged records keeps all labels, whatever stayed at home; the others give the labels they were asked
// for.
TEST_F(a_placed_network, joins_labels_that_stayed_at_home_as_a_synchrocell_does) {
  const network net = at(sync({text}, {number}), 1);
  several_ranks all(
      2, [&](int) { return net; }, two_cores);
  execution& run = all.run();
  run.send(text = "first", key = 1);
  run.send(number = 2, key = 5, sum = 9);
  run.send(number = 3, key = 7);
  run.close();
  texts got;
  for (const record& r : run) got.push_back(to_string(r));
  EXPECT_EQ(got, (texts{"{text=first, <key>=1, <number>=2}", "{<key>=7, <number>=3}"}));
}

TEST_F(a_placed_network, moves_large_fields_to_their_new_home) {
  const network net = at(box("add", takes(values), gives(sum),
                             [](const std::vector<double>& v) {
                               return static_cast<std::int64_t>(std::accumulate(v.begin(), v.end(), 0.0));
                             }) >>
                             box("more", takes(sum), gives(sum, values),
                                 [](std::int64_t v) { return std::pair(v, std::vector<double>(100'000, 1.0)); }),
                         1);
  several_ranks all(
      2, [&](int) { return net; }, two_cores);
  execution& run = all.run();
  testing::sender_thread sender(run, 200, [](std::int64_t i) {
    return record{values = std::vector<double>(static_cast<std::size_t>(50 * i), 2.0)};
  });
  int i = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[sum], 100 * i++);
    ASSERT_EQ(r[values].size(), 100'000u);
    EXPECT_EQ(r[values].back(), 1.0);
  }
  sender.join();
  EXPECT_EQ(i, 200);
}

TEST_F(a_placed_network, runs_branches_of_a_split_on_the_rank_of_their_value) {
  for (const network& net :
       {at(split(adding(), key), key), network(split(at(adding(), key), key)), at(adding(), key)}) {
    run_report report;
    texts expected;
    for (int k = 0; k < 7; ++k) {
      int all = 0;
      for (int i = k; i < 700; i += 7) all += i;
      expected.push_back("{<sum>=" + std::to_string(all) + "}");
    }
    EXPECT_EQ(sorted(results_of(3, net, numbers(700), &report)), sorted(expected));
    ASSERT_EQ(report.components.size(), 1u);
    EXPECT_NE(report.components[0].place.find("rank 1: "), std::string::npos) << report.components[0].place;
    EXPECT_NE(report.components[0].place.find("rank 2: "), std::string::npos) << report.components[0].place;
    EXPECT_EQ(report.components[0].invocations, 700u);
    // And the report counts the work of each rank: key modulo ranks, of 700 records with 7 keys.
    ASSERT_EQ(report.ranks.size(), 3u);
    const std::uint64_t expected_at[] = {300, 200, 200};
    for (std::size_t r = 0; r < 3; ++r) {
      const rank_report& one = report.ranks[r];
      EXPECT_EQ(one.rank, static_cast<int>(r));
      EXPECT_EQ(one.cores, 2);
      ASSERT_EQ(one.components.size(), 1u) << r;
      EXPECT_EQ(one.components[0].component, "add");
      EXPECT_EQ(one.components[0].invocations, expected_at[r]);
      EXPECT_TRUE(std::isnan(one.latency));  // ranks in one process are not measured
    }
    EXPECT_NE(report.full().find("rank 2: "), std::string::npos);
    EXPECT_NE(report.json().find(R"("ranks":[{"rank":0)"), std::string::npos);
  }
}

TEST_F(a_placed_network, may_have_its_source_elsewhere) {
  const network net = at(source("count", gives(number),
                                [](emitter& emit) {
                                  for (int i = 0; i < 3000; ++i) emit(number = i);
                                }) >>
                             doubling(),
                         1) >>
                      adding();
  EXPECT_EQ(results_of(2, net, {}), texts{"{<sum>=8997000}"});
}

// A star whose body is on another rank, and a feedback through two.
TEST_F(a_placed_network, may_be_in_loops) {
  const auto less = [](const char* name) {
    return box(name, takes(number), gives(number), [](std::int64_t v) { return v - 1; });
  };
  texts expected(50, "{<key>=3, <number>=0}");
  std::vector<record> inputs;
  for (int i = 0; i < 50; ++i) inputs.emplace_back(number = i, key = 3);
  EXPECT_EQ(results_of(2, star(at(less("less"), 1), pattern{number}.where(number == 0)), inputs), expected);
  inputs.clear();
  for (int i = 0; i < 50; ++i) inputs.emplace_back(number = 2 * i + 2, key = 3);
  EXPECT_EQ(results_of(3, feedback(at(less("a"), 1) >> at(less("b"), 2), pattern{number}.where(number > 0)), inputs),
            expected);
}

// ---- bounds ----

// While the far side takes nothing, sending is held back: no more than the credit is on its way.
TEST_F(a_placed_network, holds_its_input_back_while_the_far_side_is_slow) {
  testing::gate gate;
  std::atomic<int> begun{0};
  const network net = at(box("slow", takes(number), gives(number),
                             [&](std::int64_t v) {
                               ++begun;
                               gate.pass();
                               return v;
                             })
                             .serial(),
                         1);
  several_ranks all(
      2, [&](int) { return net; }, two_cores, detail::remote::window_limits{.records = 8, .bytes = 1 << 20});
  execution& run = all.run();
  int sent = 0;
  EXPECT_TRUE(testing::eventually([&] { return begun == 1 || (run.try_send(number = 0) && ++sent < 0); }));
  while (run.try_send(number = sent)) ++sent;
  constexpr int in_far_streams = 1024 + 64 + 8;  // the streams and batches of the part itself
  EXPECT_LE(sent, 8 + in_far_streams);
  gate.open();
  run.close();
  int got = 0;
  for (const record& r : run) got += static_cast<int>(r.contains(number));
  EXPECT_EQ(got, sent);
}

TEST_F(a_placed_network, holds_back_by_bytes) {
  testing::gate gate;
  const network net = at(box("slow", takes(values), gives(sum),
                             [&](const std::vector<double>& v) {
                               gate.pass();
                               return static_cast<std::int64_t>(v.size());
                             })
                             .serial(),
                         1);
  options o = two_cores(1);
  o.capacity = 2;
  constexpr std::size_t bytes = 8 << 20, each = std::size_t{1} << 20;
  several_ranks all(
      2, [&](int) { return net; }, [&](int) { return o; },
      detail::remote::window_limits{.records = 1000, .bytes = bytes});
  execution& run = all.run();
  std::atomic<int> sent{0};
  std::thread sender([&] {
    for (int i = 0; i < 100; ++i) {
      run.send(values = std::vector<double>(each / sizeof(double)));
      ++sent;
    }
    run.close();
  });
  EXPECT_TRUE(testing::eventually([&] { return sent >= 8; }));
  std::this_thread::yield();
  EXPECT_LE(sent, static_cast<int>(bytes / each) + 2 + 8) << "the window, and what the part's own streams hold";
  gate.open();
  int got = 0;
  for (const record& r : run) got += static_cast<int>(r[sum] > 0);
  sender.join();
  EXPECT_EQ(got, 100);
}

}  // namespace
}  // namespace weir::placed_test
