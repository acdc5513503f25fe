#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/gives_all_back.hpp"

// Branches of a split that are spread over the ranks by load.
namespace weir::spread_test {
namespace {

using testing::several_ranks;
using testing::two_cores;

inline constexpr tag number{"number"}, key{"key"}, last{"last"}, sum{"sum"};

options spreading(int rank) {
  options o = two_cores(rank);
  o.spread_keys = true;
  return o;
}

class branches_spread_by_load : public testing::gives_all_back {
 protected:
  using by_key = std::map<std::int64_t, std::vector<std::int64_t>>;

  // Sends `count` records of twelve keys, and returns the results by key.
  by_key results_of(const several_ranks::networks& net, int count, std::size_t window, bool with_sums = false) {
    several_ranks all(3, net, spreading, detail::remote::window_limits{.records = window, .spreads = true});
    execution& run = all.run();
    testing::sender_thread sender(run, count, [](std::int64_t i) { return record{number = i, key = i % 12}; });
    by_key got;
    for (const record& r : run) got[r[key]].push_back(with_sums ? r[sum] : r[number]);
    sender.join();
    all.finish();
    for (int r = 1; r < 3; ++r) EXPECT_EQ(all.error_of(r), "");
    return got;
  }
  static by_key in_order(int count) {
    by_key all;
    for (int i = 0; i < count; ++i) all[i % 12].push_back(i);
    return all;
  }

  std::atomic<int> ran[3]{};
};

// Its branches go to other ranks, and each keeps its order over that.
TEST_F(branches_spread_by_load, leave_a_rank_that_is_slow) {
  const auto net = [this](int rank) {
    return at(split(box("work", takes(number), gives(number),
                        [this, rank](std::int64_t v) {
                          ++ran[rank];
                          const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
                          while (rank == 1 && std::chrono::steady_clock::now() < until) {
                          }
                          return v;
                        }),
                    key),
              key);
  };
  constexpr int count = 6000;
  EXPECT_TRUE(results_of(net, count, 16) == in_order(count));
  EXPECT_EQ(ran[0] + ran[1] + ran[2], count);
  EXPECT_GT(ran[1], 0) << "at first nothing is known of it";
  EXPECT_LT(ran[1], count / 6) << "half of what the values of the tag would send there";
}

// They stay where their state is, whatever that rank has to do.
TEST_F(branches_spread_by_load, stay_where_their_state_is) {
  const auto net = [this](int rank) {
    return at(split(fold("add", takes(number), gives(sum, key), std::int64_t{0},
                         [this, rank](std::int64_t& all, std::int64_t v, emitter& emit) {
                           ++ran[rank];
                           all += v;
                           emit(sum = all, key = v % 12);
                         }),
                    key),
              key);
  };
  constexpr int count = 3000;
  by_key expected = in_order(count);
  for (auto& [k, values] : expected) std::partial_sum(values.begin(), values.end(), values.begin());
  EXPECT_EQ(results_of(net, count, 4, true), expected);
  EXPECT_EQ(ran[0] + ran[1] + ran[2], count);
}

TEST_F(branches_spread_by_load, keep_the_order_of_what_is_around_them) {
  const auto net = [](int) {
    const network work = box("work", takes(number), gives(number), [](std::int64_t v, emitter& emit) {
      if (v % 5 > 0) emit(number = v);
    });
    return ordered(at(split(work, key), key)) >> filter(takes(number, key)).emit(number, key = 0);
  };
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 3000; ++i)
    if (i % 5 > 0) expected.push_back(i);
  EXPECT_EQ(results_of(net, 3000, 4), (by_key{{0, expected}}));
}

// A call is over after its last result has left the network, which was the last record of the branch.
TEST_F(branches_spread_by_load, end_while_the_call_of_their_last_record_ends) {
  const auto work = [](std::int64_t v) { return v; };
  const auto net = [&](int) {
    return at(split(box("work", takes(number), gives(number), work), key).until(pattern{last}), key);
  };
  for (const auto failures : {on_failure::stop, on_failure::reassign}) {
    several_ranks all(3, net, [&](int rank) {
      options o = spreading(rank);
      o.on_failure = failures;
      return o;
    });
    execution& run = all.run();
    constexpr std::int64_t count = 4000;
    testing::sender_thread sender(run, count, [](std::int64_t i) { return record{number = i, key = i, last = 1}; });
    std::int64_t got = 0;
    for (const record& r : run) got += r[number];
    sender.join();
    all.finish();
    EXPECT_EQ(got, count * (count - 1) / 2);
  }
}

// A rank is killed in the middle: its branches continue elsewhere.
TEST_F(branches_spread_by_load, go_on_elsewhere_when_their_rank_is_lost) {
  for (int seed = 0; seed < 10; ++seed) {
    several_ranks all(
        3,
        [](int) {
          return at(split(box("work", takes(number), gives(number), [](std::int64_t v) { return v; }), key), key);
        },
        [](int rank) {
          options o = spreading(rank);
          o.on_failure = on_failure::reassign;
          o.capacity = 8;
          return o;
        });
    execution& run = all.run();
    by_key got;
    std::thread reader([&] {
      for (const record& r : run) got[r[key]].push_back(r[number]);
    });
    for (int i = 0; i < 1500; ++i) {
      if (i == 130 * seed) all.ranks().kill(1 + seed % 2);
      run.send(number = i, key = i % 12);
    }
    run.close();
    reader.join();
    EXPECT_TRUE(got == in_order(1500)) << "seed " << seed;
    all.ranks().end_killed(1 + seed % 2);
    all.finish();
  }
}

}  // namespace
}  // namespace weir::spread_test
