#include "runtime/engine/work_list.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace weir::detail {
namespace {

// A region as a list sees it, in a chain: one with a higher place is behind the others.
class a_listed final : public schedulable {
 public:
  explicit a_listed(std::uint32_t place, bool batches = false, bool senders = false)
      : batches_(batches), senders_(senders) {
    position = {place, place};
  }
  void attend(worker&) noexcept override {}
  void attend_once(worker&) noexcept override {}
  bool help(worker&) noexcept override { return false; }
  void await_room(const worker&) const override {}
  void wake_worker() noexcept override {}
  void wake_worker_to_deliver() noexcept override {}
  bool allows_inline_send() const override { return senders_; }
  bool may_batch() const override { return batches_; }
  int limit() const override { return lanes; }
  int could_begin() const override { return waiting; }

  int lanes = 1000, waiting = 0;

 private:
  const bool batches_, senders_;
};

// Two branches that no record passes both of: neither is behind the other.
struct two_branches {
  two_branches() {
    first.position = {1, 2};
    second.position = {2, 1};
  }
  a_listed first{0}, second{0};
};

TEST(a_work_list, shares_time_between_branches_whatever_their_turns_take) {
  work_list list;
  two_branches of;
  double first = 0, second = 0;
  list.add(of.first);
  list.add(of.second);
  for (int turn = 0; turn < 1000; ++turn) {
    schedulable* const next = list.take_next(false, 1);
    const double took = next == &of.first ? 1e-3 : 3e-3;
    (next == &of.first ? first : second) += took;
    list.charge(*next, took);
    list.add(*next);
  }
  EXPECT_NEAR(first / second, 1, 0.05);
}

// A weight is a part of the time, not a turn in front of all others: the light one is never starved.
TEST(a_work_list, shares_time_by_weight) {
  for (const double weight : {1.0, 2.0, 10.0, 100.0}) {
    work_list list;
    two_branches of;
    of.first.weight = weight;
    double first = 0, second = 0;
    list.add(of.first);
    list.add(of.second);
    for (int turn = 0; turn < 20'000; ++turn) {
      schedulable* const next = list.take_next(false, 1);
      const double took = next == &of.first ? 1e-3 : 30e-3;
      (next == &of.first ? first : second) += took;
      list.charge(*next, took);
      list.add(*next);
    }
    EXPECT_NEAR(first / second, weight, 0.05 * weight);
  }
}

// Turns of seconds count by weight as short ones do.
TEST(a_work_list, shares_time_by_weight_however_long_turns_are) {
  for (const double turn_of_light : {0.2, 1.0, 60.0}) {
    work_list list;
    two_branches of;
    of.first.weight = 4;
    double first = 0, second = 0;
    list.add(of.first);
    list.add(of.second);
    for (int turn = 0; turn < 2000; ++turn) {
      schedulable* const next = list.take_next(false, 1);
      const double took = next == &of.first ? 0.5 * turn_of_light : turn_of_light;
      (next == &of.first ? first : second) += took;
      list.charge(*next, took);
      list.add(*next);
    }
    EXPECT_NEAR(first / second, 4, 0.2) << turn_of_light << " s";
  }
}

// Two lanes work for `rounds` rounds on a chain, whose second region has one lane and takes `seconds` a turn; the
// others take 20 us. It returns how often the region was listed and another taken instead.
int times_passed_over(double seconds, int lanes_of_it, int rounds = 400) {
  work_list list;
  a_listed before{0}, it{1}, behind{2};
  it.lanes = lanes_of_it;
  int passed_over = 0;
  for (int round = 0; round < rounds; ++round) {
    for (a_listed* r : {&before, &it, &behind}) list.add(*r);
    for (int taken = 0; taken < 3; ++taken) {
      schedulable* const r = list.take_next(false, 2);
      if (taken == 0 && r != &it && round > rounds / 2) ++passed_over;
      list.charge(*r, r == &it ? seconds : 20e-6);
    }
  }
  return passed_over;
}

TEST(a_work_list, takes_a_region_first_that_bounds_the_others) {
  EXPECT_EQ(times_passed_over(100e-6, 1), 0);
  EXPECT_GT(times_passed_over(100e-6, 2), 0) << "both lanes may run it";
  EXPECT_GT(times_passed_over(40e-6, 1), 0) << "it and the others are half of the work each";
}

// Turns of short boxes are not charged, and count as the least. So a region of one lane among two such branches has no
// more of the work than its lane is of two.
TEST(a_work_list, counts_turns_that_are_not_charged) {
  work_list list;
  two_branches of;
  a_listed timed{3};
  timed.position = {3, 0};
  timed.lanes = 1;
  int of_timed = 0;
  constexpr int rounds = 3000;
  for (a_listed* r : {&of.first, &of.second, &timed}) list.add(*r);
  for (int turn = 0; turn < rounds; ++turn) {
    schedulable* const next = list.take_next(false, 2);
    if (next == &timed) list.charge(*next, 30e-6), ++of_timed;
    list.add(*next);
  }
  EXPECT_LT(of_timed, rounds / 2);
}

// One long turn tells nothing of a region's share of the work.
TEST(a_work_list, averages_turns_of_any_length) {
  for (const double seconds : {100e-6, 5e-3, 30e-3}) {
    work_list list;
    two_branches of;
    of.first.lanes = 1;
    list.add(of.first);
    list.take_next(false, 2);
    list.charge(of.first, seconds);
    EXPECT_LT(of.first.share, 0.2) << seconds;
  }
}

TEST(a_work_list, does_not_make_up_for_idle_time) {
  work_list list;
  two_branches of;
  for (int turn = 0; turn < 1000; ++turn) {
    list.add(of.first);
    list.charge(*list.take_next(false, 1), 1e-3);
  }
  list.add(of.first);
  list.add(of.second);
  int in_a_row = 0;
  for (; list.take_next(false, 1) == &of.second; ++in_a_row) {
    list.charge(of.second, 1e-3);
    list.add(of.second);
  }
  EXPECT_LE(in_a_row, 51) << "50 ms at most";
}

TEST(a_work_list, takes_what_is_behind_first_four_times_in_a_row) {
  work_list list;
  a_listed before(1, true), behind(2, true);
  list.add(before);
  for (int i = 0; i < 4; ++i) {
    list.add(behind);
    ASSERT_EQ(list.take_next(false, 1), &behind);
  }
  list.add(behind);
  EXPECT_EQ(list.take_next(false, 1), &before);
}

TEST(a_work_list, takes_the_due_one_before_one_behind_it_that_took_much_longer) {
  work_list list;
  a_listed before(1), behind(2);
  behind.last_turn = 260e-6;
  list.add(before);
  list.add(behind);
  EXPECT_EQ(list.take_next(false, 1), &before);
}

TEST(a_work_list, gives_a_sender_only_what_allows_inline_send) {
  work_list list;
  a_listed closed(1), open(1, true, true);
  list.add(closed);
  EXPECT_EQ(list.take_next(true, 1), nullptr);
  EXPECT_EQ(list.size(), 1u);
  EXPECT_TRUE(list.take(closed));
  list.add(open);
  EXPECT_EQ(list.take_next(true, 1), &open);
  EXPECT_EQ(list.taken_hint(), 1u);
}

TEST(a_work_list, removes_all_places_of_a_region_that_moves) {
  work_list list;
  a_listed moved(1), other(1);
  for (schedulable* r : {&moved, &other, &moved}) list.add(*r);
  moved.virtual_time = 1;
  EXPECT_EQ(list.remove(moved), 2u);
  EXPECT_EQ(moved.virtual_time, 0);
  EXPECT_EQ(list.size_hint(), 1);
  EXPECT_FALSE(list.take(moved));
}

// The cores of an invocation of one second that begins on eight cores, of which it has one and the others are free.
int cores_of_next(const work_list& list, const schedulable& from) {
  group_work ahead(8, 7, 0);
  list.add_waiting(ahead, from, 1);
  return ahead.cores_of_next(8);
}

TEST(a_work_list, counts_the_waiting_records_of_each_region_singly) {
  a_listed from{0}, other{1};
  from.seconds_on_one_core = other.seconds_on_one_core = 1;
  work_list list;
  EXPECT_EQ(cores_of_next(list, from), 8);
  from.waiting = 1;
  EXPECT_EQ(cores_of_next(list, from), 4) << "its own region has another record";
  other.waiting = 2;
  EXPECT_EQ(cores_of_next(list, from), 4) << "the other region is not listed";
  list.add(other);
  EXPECT_EQ(cores_of_next(list, from), 2);
  list.add(other);
  list.add(from);
  EXPECT_EQ(cores_of_next(list, from), 2) << "each region counts once, however often it is listed";
  other.seconds_on_one_core = 0.01;
  EXPECT_EQ(cores_of_next(list, from), 4) << "records of the other region are short";
}

}  // namespace
}  // namespace weir::detail
