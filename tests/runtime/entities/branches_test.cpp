#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <weir/record/pool.hpp>
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"

// Branches of a split that equal a new one do not stay; the others do.
namespace weir::testing {
namespace {

constexpr int many = 20'000;  // values of the tag
// The number of unneeded branches that may exist, by split_entities.cpp, and of other pool blocks of a run.
constexpr long long few = 2 * 8192, others = 3000;

class branches : public gives_all_back {
 protected:
  static options two_cores() {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.on_error = on_error::collect;
    return o;
  }

  // Sends one record for each of `many` values of k and closes. Expects one result per record, and that at most `few`
  // branches are left, times the number of blocks made for each.
  static run_report expect_nothing_stays(const network& net, int made_for_each_branch, const options& o = two_cores()) {
    const long long before = pool::live();
    execution run = start(net, o);
    std::vector<std::int64_t> got;
    std::thread sender([&] {
      try {
        for (int i = 0; i < many; ++i) run.send(record{n = 3, k = i, x = i % 7});
      } catch (const std::exception& e) {
        ADD_FAILURE() << to_string(net) << ": " << e.what();
      }
      run.close();
    });
    for (const record& r : run) got.push_back(r[k]);
    sender.join();
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got.size(), static_cast<std::size_t>(many));
    EXPECT_EQ(std::unique(got.begin(), got.end()), got.end()) << "one for each";
    EXPECT_TRUE(run.errors().empty()) << to_string(run.errors().front());
    const run_report r = run.report();
    EXPECT_LE(r.unfolded - r.removed, static_cast<std::uint64_t>(made_for_each_branch * few)) << to_string(net);
    EXPECT_LE(pool::live() - before, made_for_each_branch * few + others) << to_string(net);
    return r;
  }
};

network passes(std::string name) {
  return box(std::move(name), takes(n), gives(n), [](std::int64_t v) { return v; });
}
network joining() { return sync({a}, {b}); }
// A cell that passes the sent records, except for these two values.
network joining_large() { return sync(pattern{n}.where(n == 100), pattern{n}.where(n == 101)); }
network counting_down() { return star(filter(takes(n)).emit(n = n - 1), pattern{n}.where(n <= 0)); }

TEST_F(branches, of_values_that_come_once_do_not_stay) {
  const run_report r = expect_nothing_stays(split(passes("p") >> passes("q"), k), 1);
  EXPECT_EQ(r.unfolded, static_cast<std::uint64_t>(many));
}

TEST_F(branches, do_not_stay_whatever_is_in_them_that_holds_nothing) {
  expect_nothing_stays(split(split(passes("p"), x), k), 2);
  expect_nothing_stays(split(counting_down(), k), 4);
  expect_nothing_stays(split(ordered(passes("p") | filter(takes(a)).emit(a)), k), 1);
  expect_nothing_stays(
      split(feedback(filter(takes(n)).when(n > 0).emit(n = n - 1).otherwise().emit(x = 1), pattern{n}), k), 1);
  expect_nothing_stays(split(joining_large() >> passes("p"), k), 2);
  expect_nothing_stays(split(split(counting_down(), x) >> split(joining_large(), n), k), 7);
  expect_nothing_stays(star(split(filter(takes(n)).emit(n = n - 1), k), pattern{n}.where(n <= 0)), 3);
  expect_nothing_stays(ordered(split(passes("p"), k)), 1);
}

TEST_F(branches, do_not_stay_where_a_stream_holds_one_record) {
  options o = two_cores();
  o.capacity = 1;
  expect_nothing_stays(split(split(passes("p"), x) >> passes("q"), k), 2, o);
}

// Values that recur keep their branches, however many others occur once.
TEST_F(branches, of_values_that_come_again_are_not_made_again) {
  execution run = start(split(passes("p"), k), two_cores());
  sender_thread sender(run, 4 * many, [](std::int64_t i) { return record{n = i, k = i % 2 ? i : i % 2000}; });
  for (const record& r : run) (void)r;
  sender.join();
  EXPECT_EQ(run.report().unfolded, static_cast<std::uint64_t>(2 * many + 1000));
  EXPECT_GT(run.report().removed, static_cast<std::uint64_t>(many));
}

// Each value's records meet in its branch, however many other values came between them.
TEST_F(branches, that_hold_a_record_stay) {
  execution run = start(split(joining(), k), two_cores());
  for (int i = 0; i < many; ++i) run.send(a = i, k = i);
  for (int i = 0; i < many; ++i) run.send(b = i, k = i);
  run.close();
  int joined = 0;
  for (const record& r : run) joined += r.contains(a) && r[a] == r[b] && r[k] == r[a];
  EXPECT_EQ(joined, many);
  EXPECT_EQ(run.report().removed, 0u);
  EXPECT_EQ(run.report().held, 0u);
}

// A spent cell passes everything: a new one would hold it.
TEST_F(branches, whose_cell_is_spent_stay) {
  execution run = start(split(split(joining(), x), k), two_cores());
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < many / 2; ++i) {
      run.send(a = round, k = i, x = i % 3);
      if (round == 0) run.send(b = i, k = i, x = i % 3);
    }
  run.close();
  EXPECT_EQ(all_of(run).size(), static_cast<std::size_t>(many));
  EXPECT_EQ(run.report().held, 0u);
}

// A star of cells waits for partners at each key by itself, also after its first stages are gone.
TEST_F(branches, of_a_state_chain_that_holds_a_record_stay) {
  execution run = start(split(star(joining(), pattern{a, b}), k), two_cores());
  const int values = many / 2;
  for (int i = 0; i < values; ++i) run.send(a = i, k = i), run.send(b = i, k = i), run.send(a = i + 1, k = i);
  for (int i = 0; i < values; ++i) run.send(b = i + 1, k = i);
  run.close();
  std::map<std::int64_t, int> joined;
  for (const record& r : run) joined[r[k]] += r[a] == r[b];
  EXPECT_EQ(joined.size(), static_cast<std::size_t>(values));
  EXPECT_TRUE(std::all_of(joined.begin(), joined.end(), [](const auto& one) { return one.second == 2; }));
}

// Once every cell of a star of cells is spent, the star equals a new one.
TEST_F(branches, of_a_state_chain_whose_cells_are_all_spent_do_not_stay) {
  options o = two_cores();
  o.max_branches = 3;
  execution run = start(split(star(joining(), pattern{a, b}), k), o);
  auto at = run.results();
  std::vector<record> got;
  for (int i = 0; i < many; ++i) {
    const int key = i % (many / 2);  // each twice, the second time long after its branch has gone
    run.send(a = i, k = key), run.send(b = i, k = key);
    got.push_back(*at.begin());
  }
  run.close();
  for (int i = 0; i < many; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)][a], i);
    EXPECT_EQ(got[static_cast<std::size_t>(i)][b], i);
  }
  EXPECT_TRUE(run.errors().empty()) << to_string(run.errors().front());
  EXPECT_EQ(run.report().held, 0u);
  EXPECT_EQ(run.report().unfolded, static_cast<std::uint64_t>(2 * many)) << "a branch and a stage for each pair";
  EXPECT_GE(run.report().removed, run.report().unfolded - 3);
}

// Thousands of keys wait for their second record at any time, and each comes once. The branches there are do not grow
// with the keys that there were.
TEST_F(branches, of_joined_keys_are_as_many_after_many_keys_as_after_few) {
  constexpr int keys = 150'000, apart = 4000;
  execution run = start(split(star(joining(), pattern{a, b}), k), two_cores());
  std::thread sender([&] {
    for (int i = 0; i < keys + apart; ++i) {
      if (i < keys) run.send(a = i, k = i);
      if (i >= apart) run.send(b = i, k = i - apart);
    }
    run.close();
  });
  int joined = 0;
  for (const record& r : run) joined += r[b] == r[a] + apart;
  sender.join();
  EXPECT_EQ(joined, keys);
  EXPECT_EQ(run.report().unfolded, static_cast<std::uint64_t>(2 * keys));
  EXPECT_LE(run.report().unfolded - run.report().removed, static_cast<std::uint64_t>(few + 2 * apart));
}

// A choice behind a spent cell gets the records that a new cell would keep.
TEST_F(branches, of_a_state_chain_with_a_choice_behind_its_cell_stay) {
  const network late = box("late", takes(a), gives(c), [](int v) { return v; });
  execution run = start(split(star(joining() >> (bypass() | late), pattern{c}), k), two_cores());
  for (int i = 0; i < many; ++i) run.send(a = i, k = i), run.send(b = i, k = i);
  for (int i = 0; i < many; ++i) run.send(a = i, k = i);
  run.close();
  int joined = 0, alone = 0;
  for (const record& r : run) ++(r.contains(b) ? joined : alone);
  EXPECT_EQ(joined, many);
  EXPECT_EQ(alone, many);
  EXPECT_EQ(run.report().held, 0u);
}

// Records at random for each key, and again when most of its branches have gone. With few keys no branch is removed.
TEST_F(branches, that_were_removed_cannot_be_told_from_those_that_stayed) {
  const auto adding = box("add", takes(a, b), gives(c), [](int v, int w) { return 1000 * v + w; });
  const std::vector<network> nets{
      star(joining(), pattern{a, b}), star(joining() >> (bypass() | adding), pattern{c}),
      star(joining() >> (bypass() | box("late", takes(a), gives(c), [](int v) { return v; })), pattern{c}),
      star(sync(pattern{a}, pattern{n}.where(n > 1)) >>
               (bypass() | box("both", takes(a, n), gives(c), [](int v, std::int64_t) { return v; })),
           pattern{c})};
  for (const network& net : nets) {
    const auto results = [&](int from, int to, std::vector<std::string>& got) {
      options o = two_cores();
      o.max_failures_kept = static_cast<std::size_t>(4 * many);
      execution run = start(split(net, k), o);
      for (int round = 0; round < 2; ++round)
        for (int key = from; key < to; ++key) {
          std::mt19937 random(static_cast<unsigned>(2 * key + round));
          for (auto left = random() % 4; left > 0; --left) {
            const auto v = static_cast<int>(random() % 100);
            const auto kind = random() % 5;
            if (kind < 2) run.send(a = v, k = key);
            if (kind == 2 || kind == 3) run.send(record{k = key, b = v, n = v % 4});
            if (kind == 4) run.send(record{k = key, a = v, b = v + 1, n = v % 4});
          }
        }
      run.close();
      for (const record& r : run) got.push_back(to_string(r));
      for (const failure& f : run.errors()) got.push_back(f.record + " " + f.cause);
      EXPECT_LT(run.errors().size(), o.max_failures_kept) << "or some would not be compared";
      return run.report().removed;
    };
    std::vector<std::string> removed, stayed;
    EXPECT_GT(results(0, many, removed), 0u) << "stages at least";
    for (int at = 0; at < many; at += 4000) results(at, at + 4000, stayed);
    std::sort(removed.begin(), removed.end());
    std::sort(stayed.begin(), stayed.end());
    std::vector<std::string> differ;
    std::set_symmetric_difference(removed.begin(), removed.end(), stayed.begin(), stayed.end(),
                                  std::back_inserter(differ));
    EXPECT_TRUE(differ.empty()) << to_string(net) << ": " << differ.size() << ", the first " << differ.front();
  }
}

// max_depth counts the stages that a branch had, not those that it has.
TEST_F(branches, of_a_state_chain_stay_where_its_depth_is_limited) {
  options o = two_cores();
  o.max_depth = 1;
  o.max_failures_kept = many;
  execution run = start(split(star(joining(), pattern{a, b}), k), o);
  for (int i = 0; i < many; ++i) run.send(a = i, k = i), run.send(b = i, k = i);
  for (int i = 0; i < many; ++i) run.send(a = i, k = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), static_cast<std::size_t>(many));
  ASSERT_EQ(run.report().failed, static_cast<std::uint64_t>(many));
  EXPECT_EQ(run.errors().front().kind, failure_kind::too_deep);
}

// Inside a branch that stays, parts that equal new ones are removed.
TEST_F(branches, within_one_that_stays_do_not) {
  const long long before = pool::live();
  execution run = start(split(joining_large() >> split(passes("p"), x), k), two_cores());
  std::thread reader([&] {
    for (const record& r : run) (void)r;
  });
  run.send(n = 100, k = 0, x = 0);
  for (int i = 0; i < many; ++i) run.send(record{n = 3, k = 0, x = i});
  run.close();
  reader.join();
  EXPECT_EQ(run.report().held, 1u);
  EXPECT_LE(pool::live() - before, few + others);
}

TEST_F(branches, that_go_are_events_of_the_timeline) {
  options o = two_cores();
  tracer events;
  o.trace = events;
  execution run = start(split(passes("p"), k), o);
  std::thread reader([&] {
    for (const record& r : run) (void)r;
  });
  for (int i = 0; i < many; ++i) run.send(n = 1, k = i);
  run.close();
  reader.join();
  std::uint64_t removed = 0;
  for (const trace_event& e : events.events())
    if (e.kind == trace_kind::remove) {
      ++removed;
      EXPECT_EQ(e.path.substr(0, 2), ":I");
    }
  EXPECT_EQ(removed, run.report().removed);
  EXPECT_GT(removed, 0u);
}

TEST_F(branches, are_not_bounded_by_nonsense) {
  options o = two_cores();
  o.max_branches = SIZE_MAX;
  EXPECT_EQ(refusal<std::invalid_argument>([&] { start(split(passes("p"), k), o); }),
            "options.max_branches is " + std::to_string(SIZE_MAX) + ", expected 0 (any number) to 2^30");
}

// The bound is for branches in use: in sequence there may be any number of values.
TEST_F(branches, are_bounded_by_those_in_use_at_once) {
  options o = two_cores();
  o.max_branches = 2;
  execution run = start(split(passes("p"), k), o);
  run.send(n = 0, k = 0);
  auto result = run.begin();
  for (int i = 1; i < 500; ++i) {
    EXPECT_EQ((*result)[n], i - 1);
    run.send(n = i, k = i);
    ++result;
  }
  run.close();
  EXPECT_TRUE(run.errors().empty()) << to_string(run.errors().front());
}

TEST_F(branches, that_are_in_use_no_longer_make_room) {
  gate inside;
  options o = two_cores();
  o.policy = fixed_shares{{"p", 1}};  // and a core for the split
  o.max_branches = 100;
  o.capacity = 1000;
  execution run = start(split(box("p", takes(n), gives(n),
                                  [&](std::int64_t v) {
                                    if (v == 0) inside.pass();
                                    return v;
                                  })
                                  .serial(),
                              k),
                        o);
  for (int i = 0; i < 100; ++i) run.send(n = i, k = i);
  ASSERT_TRUE(inside.wait_for_arrivals(1));
  for (int i = 0; i < 3; ++i) run.send(n = i, k = 100 + i);
  ASSERT_TRUE(eventually([&] { return run.errors().size() == 3; }));
  const failure f = run.errors().front();
  EXPECT_EQ(f.kind, failure_kind::too_many_branches);
  EXPECT_EQ(f.entity, "split <k>");
  EXPECT_EQ(f.cause,
            "a branch for <k> = 100 would be one more than 100, option max_branches, all of which hold or remember "
            "records");
  inside.open();
  ASSERT_TRUE(eventually([&] { return run.report().results == 100; }));
  for (int i = 0; i < 50; ++i) run.send(n = 1, k = 200 + i);
  run.close();
  const std::size_t refused = 100 + 50 - all_of(run).size();
  EXPECT_LE(refused, 2u) << "a look at all is not made for each record";
}

}  // namespace
}  // namespace weir::testing
