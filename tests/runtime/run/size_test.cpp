#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <weir/record/pool.hpp>
#include "tests/runtime/run/sizes.hpp"
#include "tests/support/work.hpp"

// Stars, splits and state chains of any size give the right answers, and hold no more than they need, counted in stages
// and blocks.
namespace weir::size_test {
namespace {

TEST_F(sizes, a_star_is_as_deep_as_the_deepest_record_needs) {
  const std::int64_t depth = slow ? 20000 : 100000;
  const std::vector<std::int64_t> inputs{0, 1, depth / 2, depth, depth - 1};
  const network box_body = box("down", takes(n, count), gives(n, count),
                               [](std::int64_t left_over, std::int64_t c) { return std::pair(left_over - 1, c + 1); });
  const network filter_body = filter(takes(n, count)).emit(n = n - 1, count = count + 1);
  for (const network& body : {box_body, filter_body})
    for (const char* cores : machines) {
      SCOPED_TRACE(cores);
      std::vector<std::int64_t> counts;
      const run_report report = pass(
          star(body, pattern{n, count}.where(n == 0)), on(cores), static_cast<std::int64_t>(inputs.size()),
          [&](std::int64_t i) {
            return record{n = inputs[static_cast<std::size_t>(i)], count = 0};
          },
          [&](const record& r) { counts.push_back(r[count]); });
      std::sort(counts.begin(), counts.end());
      EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 1, depth / 2, depth - 1, depth}));
      EXPECT_EQ(report.unfolded, static_cast<std::uint64_t>(depth));
    }
}

// Worked case E with many keys: two A and two B for each key, in one order or the other, and all keys mixed.
struct pairs_of_keys {
  std::vector<record> inputs;
  std::vector<std::array<std::int64_t, 3>> expected;  // A, B, k

  explicit pairs_of_keys(std::int64_t keys) {
    std::vector<std::int64_t> key_of(static_cast<std::size_t>(4 * keys));
    for (std::size_t i = 0; i < key_of.size(); ++i) key_of[i] = static_cast<std::int64_t>(i) % keys;
    std::mt19937_64 random(42);
    std::shuffle(key_of.begin(), key_of.end(), random);
    struct waiting {
      std::deque<std::int64_t> a, b;
      std::size_t seen = 0;
    };
    std::vector<waiting> of(static_cast<std::size_t>(keys));
    for (std::size_t i = 0; i < key_of.size(); ++i) {
      const std::int64_t key = key_of[i], value = static_cast<std::int64_t>(i);
      waiting& w = of[static_cast<std::size_t>(key)];
      constexpr std::array<bool, 4> in_turns{true, false, true, false}, in_twos{true, true, false, false};
      const bool is_a = (key % 2 == 0) == (key % 3 == 0 ? in_turns : in_twos)[w.seen++];
      (is_a ? w.a : w.b).push_back(value);
      inputs.push_back(is_a ? record{A = value, k = key} : record{B = value, k = key});
      if (w.a.empty() || w.b.empty()) continue;
      expected.push_back({w.a.front(), w.b.front(), key});
      w.a.pop_front();
      w.b.pop_front();
    }
  }
};

TEST_F(sizes, pairs_of_many_keys_leave_in_the_order_in_which_they_were_completed) {
  const network net = ordered(split(star(sync({A}, {B}), pattern{A, B}), k));
  const pairs_of_keys many(slow ? 2000 : 10000), some(slow ? 50 : 500);
  everywhere([&](const options& o) {
    const pairs_of_keys& work = o.capacity == 1 ? some : many;
    ASSERT_EQ(work.expected.size(), work.inputs.size() / 2);
    std::vector<std::array<std::int64_t, 3>> got;
    const run_report report = pass(
        net, o, static_cast<std::int64_t>(work.inputs.size()),
        [&](std::int64_t i) { return work.inputs[static_cast<std::size_t>(i)]; },
        [&](const record& r) {
          got.push_back({r[A], r[B], r[k]});
        });
    EXPECT_TRUE(got == work.expected) << got.size() << " results, " << work.expected.size() << " expected";
    EXPECT_EQ(report.held, 0u);
  });
}

// Worked case D with all A before the first B.
TEST_F(sizes, as_many_records_may_wait_for_partners_as_come) {
  const std::int64_t pairs = slow ? 10000 : 100000;
  const network net = star(sync({A}, {B}), pattern{A, B});
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    std::vector<std::int64_t> times(static_cast<std::size_t>(pairs));
    bool right = true;
    const run_report report = pass(
        net, on(cores), 2 * pairs, [&](std::int64_t i) { return i < pairs ? record{A = i} : record{B = i - pairs}; },
        [&](const record& r) {
          right = right && r[A] == r[B];
          ++times[static_cast<std::size_t>(r[A])];
        });
    EXPECT_TRUE(right) << "the k-th A meets the k-th B";
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](std::int64_t t) { return t == 1; })) << "each once";
    EXPECT_EQ(report.held, 0u);
    EXPECT_EQ(report.unfolded, static_cast<std::uint64_t>(pairs));
    EXPECT_EQ(report.removed, static_cast<std::uint64_t>(pairs));
  }
}

// ---- state chains ----

// Each step emits the state and the input of the next, until the state has counted down: a chain that feeds itself.
TEST_F(sizes, a_state_chain_holds_no_more_after_many_steps_than_after_few) {
  const std::int64_t steps = slow ? 20000 : 200000;
  constexpr int every = 100;
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    const long long before = pool::live();
    std::atomic<long long> most{0};
    const network step = box("step", takes(st, in), gives(out) | gives(st) | gives(in),
                             [&](std::int64_t state, std::int64_t sum, emitter& emit) {
                               if (state % every == 0) most = std::max(most.load(), pool::live() - before);
                               if (state == 1) return emit(out = sum + 1);
                               emit(st = state - 1);
                               emit(in = sum + 1);
                             });
    std::vector<std::int64_t> sums;
    const run_report report = pass(
        star(sync({st}, {in}) >> (bypass() | step), pattern{out}), on(cores), 2,
        [&](std::int64_t i) { return i == 0 ? record{st = steps} : record{in = 0}; },
        [&](const record& r) { sums.push_back(r[out]); });
    EXPECT_EQ(sums, std::vector<std::int64_t>{steps});
    EXPECT_EQ(report.unfolded, static_cast<std::uint64_t>(steps));
    EXPECT_EQ(report.removed, static_cast<std::uint64_t>(steps));
    EXPECT_EQ(report.held, 0u);
    EXPECT_LE(most, 32) << "pool blocks";
  }
}

// The same with an input from outside for each step, sent after the previous sum has come out.
TEST_F(sizes, a_state_chain_with_an_input_a_step_holds_only_its_state) {
  const std::int64_t steps = slow ? 500 : 5000;
  const network add =
      box("add", takes(st, in), gives(out) | gives(st), [](std::int64_t s, std::int64_t x, emitter& emit) {
        emit(out = s + x);
        emit(st = s + x);
      });
  const network sums = star(sync({st}, {in}) >> (bypass() | add), pattern{out});
  for (const char* cores : machines) {
    SCOPED_TRACE(cores);
    const long long before = pool::live();
    long long most = 0;
    execution run = start(sums, on(cores));
    run.send(st = 0);
    auto results = execution::iterator();
    for (std::int64_t i = 1; i <= steps; ++i) {
      run.send(in = i);
      if (i == 1)
        results = run.begin();
      else
        ++results;
      ASSERT_EQ((*results)[out], i * (i + 1) / 2);
      most = std::max(most, pool::live() - before);
    }
    run.close();
    ++results;
    EXPECT_EQ(results, run.end());
    EXPECT_LE(most, 32);
    const run_report report = run.report();
    EXPECT_EQ(report.removed, static_cast<std::uint64_t>(steps));
    EXPECT_LE(report.unfolded, static_cast<std::uint64_t>(steps) + 1);
    EXPECT_EQ(report.held, 1u) << "the last state";
  }
}

// And with inputs that are sent much faster than the chain steps: the sender is held back.
TEST_F(sizes, a_state_chain_that_cannot_keep_up_holds_its_sender_back) {
  const std::int64_t steps = slow ? 2000 : 5000;
  std::atomic<std::int64_t> sent{0}, most{0};  // most: inputs sent and not yet processed, as the box sees it
  const network add =
      box("add", takes(st, in), gives(out) | gives(st), [&](std::int64_t s, std::int64_t x, emitter& emit) {
        testing::spend(2000);
        most = std::max(most.load(), sent - s);
        emit(out = s + x);
        emit(st = s + x);
      });
  const network sums = star(sync({st}, {in}) >> (bypass() | add), pattern{out});
  for (const network& net : {sums, ordered(sums)})
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(net) + " on " + cores);
      options o = on(cores);
      o.capacity = 16;
      most = 0;
      std::int64_t last = 0;
      pass(
          net, o, steps + 1, [&](std::int64_t i) { return sent = i, i == 0 ? record{st = 0} : record{in = 1}; },
          [&](const record& r) { EXPECT_EQ(r[out], ++last); });
      EXPECT_EQ(last, steps);
      EXPECT_LT(most, 500) << "inputs under way, of " << steps;
    }
}

}  // namespace
}  // namespace weir::size_test
