#include "scheduler/control/late_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace weir {
namespace {

// Shows it records one after the other, as a run does; `seconds` of the record that is the n-th since the move.
class shown_records {
 public:
  void show(int records, const std::function<double(int)>& seconds) {
    for (int i = 0; i < records; ++i) {
      view_.latencies.push_back(seconds(i));
      if (view_.latencies.size() > 512) view_.latencies.erase(view_.latencies.begin());
      ++view_.left_since_move;
      if (i % 10 == 9) late.take(view_, 1);
    }
  }
  void move() {
    view_.latencies.clear();
    view_.left_since_move = 0;
  }

  late_records late;

 private:
  system_view view_;
};

double in_time(int) { return .5; }
double too_late(int) { return 2; }

TEST(late_records, one_in_a_hundred_may_be_late) {
  shown_records run;
  run.show(5000, [](int i) { return i % 130 == 0 ? 50. : .5; });
  EXPECT_EQ(run.late.factor(), 1);
}

TEST(late_records, more_raise_the_factor_step_by_step_up_to_8) {
  shown_records run;
  run.show(100, too_late);
  EXPECT_EQ(run.late.factor(), 1.25);
  run.show(70, too_late);
  EXPECT_EQ(run.late.factor(), 1.25 * 1.25);
  run.show(5000, too_late);
  EXPECT_EQ(run.late.factor(), 8);
}

TEST(late_records, a_backlog_that_shrinks_is_no_reason) {
  shown_records run;
  run.show(100, too_late);
  run.move();
  run.show(640, [](int i) { return 100. - i / 7.; });
  EXPECT_EQ(run.late.factor(), 1.25 * 1.25) << "once for the first look after the move, which has nothing to compare";
}

TEST(late_records, the_factor_falls_after_long_calm_and_after_twice_as_long_if_that_was_too_early) {
  shown_records run;
  run.show(100, too_late);
  run.move();
  run.show(1900, in_time);
  EXPECT_EQ(run.late.factor(), 1.25);
  run.show(400, in_time);
  EXPECT_EQ(run.late.factor(), 1);
  run.move();
  run.show(100, too_late);
  run.move();
  run.show(3900, in_time);
  EXPECT_EQ(run.late.factor(), 1.25);
  run.show(400, in_time);
  EXPECT_EQ(run.late.factor(), 1);
}

TEST(late_records, few_records_say_nothing) {
  shown_records run;
  run.show(60, too_late);
  EXPECT_EQ(run.late.factor(), 1);
}

}  // namespace
}  // namespace weir
