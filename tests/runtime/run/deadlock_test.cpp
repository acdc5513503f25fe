#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/run/sizes.hpp"
#include "tests/support/work.hpp"

// Ordered networks keep the order, and streams of one record never wait for each other in a ring, in networks of all
// forms.
namespace weir::size_test {
namespace {

std::int64_t scrambled(std::int64_t v) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15ull >> 33);
}

// Odd numbers take a branch that works on each for a different time; even numbers take no time.
network two_branches() {
  const network fast = box("fast", takes(n, count), gives(n, count),
                           [](std::int64_t left_over, std::int64_t c) { return std::pair(left_over - 1, c + 1); });
  const network slow = box("slow", takes(n, count, left), gives(n, count, left),
                           [](std::int64_t left_over, std::int64_t c, std::int64_t l) {
                             testing::spend(scrambled(l + 31 * left_over) % 10000);
                             return std::tuple(left_over - 1, c + 1, l);
                           });
  return fast | slow;
}

record numbered(std::int64_t i, std::int64_t rounds, std::int64_t keys) {
  record r{number = i, n = rounds, count = 0, k = scrambled(i) % keys};
  if (i % 2) r = record{number = i, n = rounds, count = 0, k = scrambled(i) % keys, left = i};
  return r;
}

const pattern done = pattern{n, count}.where(n <= 0);
const pattern not_done = pattern{n, count}.where(n > 0);

TEST_F(sizes, ordered_forms_keep_the_order_whatever_a_branch_takes) {
  const std::int64_t records = slow ? 150 : 1000;
  const auto rounds = [](std::int64_t i) { return scrambled(i) % 5; };
  struct form {
    network net;
    bool goes_round;
  };
  for (const form& f :
       {form{ordered(two_branches()), false}, form{ordered(star(two_branches(), done)), true},
        form{ordered(split(two_branches(), k)), false}, form{ordered(split(star(two_branches(), done), k)), true},
        form{ordered(feedback(two_branches(), not_done)), true}})
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(f.net) + " on " + cores);
      const auto first = [&](std::int64_t i) { return f.goes_round ? rounds(i) + 1 : 1; };
      std::int64_t next = 0;
      pass(
          f.net, on(cores), records, [&](std::int64_t i) { return numbered(i, first(i), 7); },
          [&](const record& r) {
            ASSERT_EQ(r[number], next);
            ASSERT_EQ(r[count], first(next));
            ++next;
          });
      EXPECT_EQ(next, records);
    }
}

// ---- streams of one record ----

struct nesting {
  network net;
  bool is_ordered;
  int copies = 1;
};

std::vector<nesting> nestings() {
  const network one = two_branches();
  const network loop = star(one, done), again = feedback(one, not_done);
  const network inner = ordered(one);
  const network three = box("three", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 3; ++i) emit(n = v);
  });
  return {
      {loop, false},
      {again, false},
      {split(loop, k), false},
      {split(again, k), false},
      {star(split(one, k), done), false},
      {feedback(split(one, k), not_done), false},
      {star(inner, done), false},                                          // ordered in a star
      {split(star(inner, done), k), false},                                // .. in a split
      {feedback(inner, not_done), false},                                  //
      {ordered(loop), true},                                               //
      {ordered(star(inner, done)), true},                                  // ordered in ordered
      {ordered(ordered(ordered(loop))), true},                             //
      {ordered(split(ordered(star(inner, done)), k)), true},               //
      {ordered(feedback(ordered(split(inner, k)), not_done)), true},       //
      {three >> loop, false, 3},                                           // more results than inputs
      {loop >> three, false, 3},                                           //
      {ordered(three >> split(star(inner, done), k)), true, 3},            //
      {three >> (three >> ordered(again)), false, 9},                      //
      {ordered(three >> ordered(three >> star(inner, done))), true, 9},    //
      {ordered(three >> feedback(inner >> bypass(), not_done)), true, 3},  //
  };
}

TEST_F(sizes, streams_of_one_record_never_wait_for_each_other_in_a_ring) {
  const std::int64_t records = slow ? 20 : 60;
  for (const nesting& x : nestings())
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(x.net) + " on " + cores);
      options o = on(cores);
      o.capacity = 1;
      std::vector<int> times(static_cast<std::size_t>(records));
      std::int64_t last = 0;
      bool ascends = true, right = true;
      pass(
          x.net, o, records, [&](std::int64_t i) { return numbered(i, 1 + i % 4, 3); },
          [&](const record& r) {
            const std::int64_t i = r[number];
            right = right && r[count] == 1 + i % 4;
            ascends = ascends && last <= i;
            last = i;
            ++times[static_cast<std::size_t>(i)];
          });
      EXPECT_TRUE(right);
      EXPECT_TRUE(ascends || !x.is_ordered);
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [&](int t) { return t == x.copies; })) << "each so often";
    }
}

// All records are sent before any result is read: results are kept, and no record waits for a reader.
TEST_F(sizes, everything_may_be_sent_before_anything_is_read) {
  const std::int64_t records = slow ? 20 : 50;
  for (const nesting& x : nestings())
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(x.net) + " on " + cores);
      options o = on(cores);
      o.capacity = 1;
      execution run = start(x.net, o);
      for (std::int64_t i = 0; i < records; ++i) run.send(numbered(i, 1 + i % 4, 3));
      run.close();
      std::int64_t came = 0;
      for (const record& r : run) came += r[count] == 1 + r[number] % 4;
      EXPECT_EQ(came, records * x.copies);
    }
}

// Synchrocells and initialisers with streams of one record.
TEST_F(sizes, cells_and_sources_get_along_with_streams_of_one_record) {
  const std::int64_t records = slow ? 50 : 500;
  const network pairs = star(sync({A}, {B}), pattern{A, B});
  const network opens = source("opens", gives(A, k), [=](emitter& emit) {
    for (std::int64_t i = 0; i < records; ++i) emit(A = i, k = i % 5);
  });
  for (const network& net :
       {(opens | bypass()) >> pairs, (opens | bypass()) >> split(pairs, k),
        (opens | bypass()) >> ordered(split(pairs, k)), ordered(opens | bypass()) >> ordered(split(ordered(pairs), k))})
    for (const char* cores : machines) {
      SCOPED_TRACE(to_string(net) + " on " + cores);
      options o = on(cores);
      o.capacity = 1;
      std::vector<int> times(static_cast<std::size_t>(records));
      bool right = true;
      const run_report report = pass(
          net, o, records,
          [](std::int64_t i) {
            return record{B = i, k = i % 5};
          },
          [&](const record& r) {
            right = right && r[A] == r[B];
            ++times[static_cast<std::size_t>(r[A])];
          });
      EXPECT_TRUE(right);
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int t) { return t == 1; }));
      EXPECT_EQ(report.held, 0u);
    }
}

}  // namespace
}  // namespace weir::size_test
