#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"

// The outputs of one part of a chain go straight to the rank of the next.
namespace weir::route_test {
namespace {

using detail::remote::topic;
using testing::several_ranks;
using testing::two_cores;

inline constexpr tag number{"number"}, key{"key"};
inline constexpr field<std::string> text{"text"}, note{"note"};

struct handle {  // which has no codec
  std::shared_ptr<int> to;
};
inline constexpr field<handle> local{"local"};

network adds(const char* name, std::int64_t what) {
  return box(name, takes(number), gives(number), [what](std::int64_t v) { return v + what; });
}

// Messages by topic, in which a rank sends to another.
struct traffic {
  std::atomic<int> calls[4][4]{}, forwards[4][4]{}, gives[4][4]{};
  void count(int from, int to, topic what) {
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    if (what == topic::call) ++calls[a][b];
    if (what == topic::forward) ++forwards[a][b];
    if (what == topic::give) ++gives[a][b];
  }
  int of(const std::atomic<int> (&what)[4][4], int from, int to) const {
    return what[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  int all(const std::atomic<int> (&what)[4][4]) const {
    int sum = 0;
    for (const auto& row : what)
      for (const auto& one : row) sum += one;
    return sum;
  }
};

class a_route : public testing::gives_all_back {
 protected:
  // The results of sending some numbers, in order, as text.
  std::vector<std::string> results_of(int ranks, const network& net, int count,
                                      std::optional<detail::remote::window_limits> limits = {}) {
    several_ranks all(
        ranks, [&](int) { return net; },
        [](int rank) {
          options o = two_cores(rank);
          o.on_error = on_error::collect;
          return o;
        },
        limits, [this](int from, int to, topic what) { sent.count(from, to, what); });
    execution& run = all.run();
    testing::sender_thread sender(run, count, [&](std::int64_t i) {
      return record{number = i, key = i % 7, local = handle{whole}};
    });
    std::vector<std::string> got;
    for (const record& r : run) {
      EXPECT_EQ(r[local].to, whole) << "what no part asks for stays at home";
      got.push_back(to_string(r[number]) + " of " + to_string(r[key]));
    }
    sender.join();
    failures = run.errors();
    all.finish();
    for (int r = 1; r < ranks; ++r) EXPECT_EQ(all.error_of(r), "");
    return got;
  }
  static std::string to_string(std::int64_t v) { return std::to_string(v); }

  traffic sent;
  std::vector<failure> failures;
  const std::shared_ptr<int> whole = std::make_shared<int>(7);
};

TEST_F(a_route, leads_from_rank_to_rank_in_order) {
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) expected.push_back(to_string(i + 7) + " of " + to_string(i % 7));
  EXPECT_EQ(results_of(4, at(adds("a", 1), 1) >> at(adds("b", 2), 2) >> at(adds("c", 4), 3), 3000), expected);
  EXPECT_GT(sent.of(sent.calls, 0, 1), 0);
  EXPECT_GT(sent.of(sent.forwards, 1, 2), 0);
  EXPECT_GT(sent.of(sent.forwards, 2, 3), 0);
  EXPECT_GT(sent.of(sent.gives, 3, 0), 0);
  EXPECT_EQ(sent.all(sent.calls), sent.of(sent.calls, 0, 1)) << "only the first is called from home";
  EXPECT_EQ(sent.all(sent.gives), sent.of(sent.gives, 3, 0)) << "and only the last gives back";
  EXPECT_EQ(whole.use_count(), 1) << "nothing keeps what stayed at home";
}

TEST_F(a_route, may_come_back_to_a_rank) {
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(to_string(i + 7) + " of " + to_string(i % 7));
  EXPECT_EQ(results_of(3, at(adds("a", 1), 1) >> at(adds("b", 2), 2) >> at(adds("c", 4), 1), 1000), expected);
  EXPECT_GT(sent.of(sent.forwards, 2, 1), 0);
  EXPECT_EQ(sent.all(sent.calls), sent.of(sent.calls, 0, 1));
}

TEST_F(a_route, ends_where_the_home_itself_is_next) {
  EXPECT_EQ(results_of(3, at(adds("a", 1), 1) >> at(adds("b", 2), 0) >> at(adds("c", 4), 2), 100).size(), 100u);
  EXPECT_EQ(sent.all(sent.forwards), 0);
}

// Two neighbours on one rank are one call, whatever they are.
TEST_F(a_route, needs_no_message_between_parts_on_one_rank) {
  const network keeps = fold("last", takes(number), gives(number), std::int64_t{0},
                             [](std::int64_t& last, std::int64_t v, emitter& emit) {
                               if (v > last) emit(number = v - last);
                               last = v;
                             });
  several_ranks all(
      2, [&](int) { return at(adds("a", 5), 1) >> at(keeps, 1) >> at(adds("b", 1), 3); }, two_cores, {},
      [this](int from, int to, topic what) { sent.count(from, to, what); });
  execution& run = all.run();
  run.send(number = 0);
  auto results = run.begin();
  for (int i = 1; i < 10; ++i) {
    EXPECT_EQ((*results)[number], i == 1 ? 6 : 3);
    run.send(number = 2 * i);
    ++results;
  }
  run.close();
  all.finish();
  EXPECT_EQ(sent.of(sent.calls, 0, 1), 10);
  EXPECT_EQ(sent.of(sent.gives, 1, 0), 10);
}

// Each part gives several records, one, or none, on two ranks in a row; each call is over once all that it caused came.
TEST_F(a_route, counts_what_calls_cause) {
  const auto several = [](const char* name) {
    return box(name, takes(number), gives(number), [](std::int64_t v, emitter& emit) {
      for (std::int64_t i = 0; i < v % 4; ++i) emit(number = v / 2 + i);
    });
  };
  const network body = at(several("a"), 1) >> at(several("b"), 2) >> at(several("c"), 1);
  std::vector<std::string> expected;
  for (int i = 0; i < 2000; ++i)
    for (int a = 0; a < i % 4; ++a)
      for (int from_a = i / 2 + a, b = 0; b < from_a % 4; ++b)
        for (int from_b = from_a / 2 + b, c = 0; c < from_b % 4; ++c)
          expected.push_back(to_string(from_b / 2 + c) + " of " + to_string(i % 7));
  EXPECT_EQ(results_of(3, body, 2000), expected);
  EXPECT_EQ(results_of(3, ordered(body | bypass()), 2000), expected);
  EXPECT_EQ(results_of(3, body, 2000, detail::remote::window_limits{.records = 1, .bytes = 1}), expected)
      << "with credit for one record at a time";
  EXPECT_EQ(whole.use_count(), 1);
}

TEST_F(a_route, tells_of_errors_anywhere_on_it) {
  const auto picky = [](const char* name, std::int64_t bad) {
    return box(name, takes(number), gives(number), [=](std::int64_t v, emitter& emit) {
      emit(number = v);
      if (v % 10 == bad) throw std::runtime_error(name);
    });
  };
  const network net = bypass() >> split(at(picky("a", 3), 1) >> at(picky("b", 5), 2), key);
  EXPECT_EQ(results_of(3, net, 100).size(), 100u);
  ASSERT_EQ(failures.size(), 20u);
  for (const failure& f : failures) {
    const bool first = f.rank == 1;
    EXPECT_EQ(f.rank, first ? 1 : 2);
    EXPECT_EQ(f.entity, first ? "a" : "b");
    ASSERT_TRUE(f.as_record);
    const std::int64_t v = (*f.as_record)[number];
    EXPECT_EQ(v % 10, first ? 3 : 5);
    EXPECT_EQ(f.path, ":S2:I" + to_string(v % 7) + (first ? ":S1" : ":S2"));
    EXPECT_EQ((*f.as_record)[local].to, whole) << "what stayed at home is part of the record";
  }
  EXPECT_GT(sent.of(sent.forwards, 1, 2), 0);
  failures.clear();  // with their records
}

// While the last part takes nothing, sending is held back.
TEST_F(a_route, holds_its_input_back) {
  testing::gate gate;
  const network slow = box("slow", takes(number), gives(number), [&](std::int64_t v) {
                         gate.pass();
                         return v;
                       }).serial();
  several_ranks all(
      3, [&](int) { return at(adds("a", 1), 1) >> at(slow, 2); }, two_cores,
      detail::remote::window_limits{.records = 8, .bytes = 1 << 20});
  execution& run = all.run();
  constexpr int in_streams = 2 * (1024 + 64 + 8) + 2 * 8;  // of both parts, and on the way
  EXPECT_TRUE(run.try_send(number = 0));
  EXPECT_TRUE(gate.wait_for_arrivals(1));
  int sent_records = 1;
  EXPECT_TRUE(testing::eventually([&] { return !run.try_send(number = sent_records) || ++sent_records > in_streams; }));
  EXPECT_LE(sent_records, in_streams);
  gate.open();
  run.close();
  int got = 0;
  for (const record& r : run) got += static_cast<int>(r.contains(number));
  EXPECT_EQ(got, sent_records);
}

// A field must not travel further than by way of home; a tag is small.
TEST_F(a_route, is_taken_where_no_field_only_rides_along) {
  const network gives_note =
      box("note", takes(number), gives(number, note), [](std::int64_t v) { return std::pair(v, std::to_string(v)); });
  const network reads_note = box("read", takes(number, note), gives(number),
                                 [](std::int64_t v, const std::string& n) { return v + std::stoi(n); });
  const network reads_tag = box("tag", takes(number, key), gives(number, key),
                                [](std::int64_t v, std::int64_t k) { return std::pair(v, k); });
  const auto goes_straight = [&](const network& net) {
    traffic before;
    several_ranks all(
        3, [&](int) { return net; }, two_cores, {},
        [&](int from, int to, topic what) { before.count(from, to, what); });
    execution& run = all.run();
    run.send(number = 4, key = 5, note = "7", text = "kept");
    run.close();
    for (const record& r : run) EXPECT_EQ(r[text], "kept");
    all.finish();
    return before.all(before.forwards) > 0;
  };
  EXPECT_TRUE(goes_straight(at(gives_note, 1) >> at(reads_note, 2)));
  EXPECT_TRUE(goes_straight(at(adds("a", 1), 1) >> at(reads_tag, 2)));
  EXPECT_FALSE(goes_straight(at(gives_note, 1) >> at(adds("a", 1), 2))) << "the note stays where it is made";
  EXPECT_FALSE(goes_straight(at(adds("a", 1), 1) >> at(reads_note, 2))) << "the note goes once only";
  EXPECT_FALSE(goes_straight(at(adds("a", 1), 1) >> at(sync({note}, {number}) | adds("b", 1), 2)))
      << "records of other calls might inherit what stayed";
}

}  // namespace
}  // namespace weir::route_test
