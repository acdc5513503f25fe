#include "runtime/run/work_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/entities/pace.hpp"

namespace weir::detail {
namespace {

region_facts taking(double seconds) {
  region_facts f;
  f.seconds = seconds;
  f.shared = true;
  f.fits_inline_send = true;
  f.most_capacity = 1024;
  f.between = 0;
  return f;
}

TEST(a_work_plan, of_which_nothing_is_known_take_one_record_at_a_time_and_time_each) {
  const region_plan plan = plan_work({});
  const work_setting& s = plan.work;
  EXPECT_EQ(s.batch, 1u);
  EXPECT_EQ(s.most_in_batch, 1u);
  EXPECT_EQ(s.timed_one_in, 1u);
  EXPECT_EQ(plan.capacity, 4u);
  EXPECT_FALSE(s.allows_inline_send);
}

TEST(a_work_plan, fill_a_batch_with_50_microseconds_and_500_at_most) {
  const work_setting s = plan_work(taking(10e-6)).work;
  EXPECT_EQ(s.batch, 5u);
  EXPECT_EQ(s.most_in_batch, 50u);
  EXPECT_EQ(plan_work(taking(0)).work.batch, work_setting::largest_batch);
  EXPECT_EQ(plan_work(taking(1)).work.most_in_batch, 1u);
}

TEST(a_work_plan, give_less_at_once_to_cores_of_its_own_since_a_new_grant_waits_for_the_end) {
  region_facts f = taking(5e-6);
  f.shared = false;
  EXPECT_EQ(plan_work(f).work.most_in_batch, 4u);
}

TEST(a_work_plan, give_a_box_that_waits_one_record_at_a_time) {
  region_facts f = taking(1e-6);
  f.waits = true;
  EXPECT_EQ(plan_work(f).work.batch, 1u);
  EXPECT_EQ(plan_work(f).work.most_in_batch, 1u);
}

TEST(a_work_plan, let_a_sender_run_only_what_is_below_a_wake_up_and_waits_for_nobody) {
  EXPECT_TRUE(plan_work(taking(9e-6)).work.allows_inline_send);
  EXPECT_FALSE(plan_work(taking(11e-6)).work.allows_inline_send);
  region_facts f = taking(1e-6);
  f.fits_inline_send = false;
  EXPECT_FALSE(plan_work(f).work.allows_inline_send);
}

TEST(a_work_plan, time_a_thousand_records_a_second_and_lane_and_of_inlined_boxes_one_in_64) {
  EXPECT_EQ(plan_work(taking(100e-6)).work.timed_one_in, 10u);
  region_facts f = taking(100e-6);
  f.lanes = 2;
  EXPECT_EQ(plan_work(f).work.timed_one_in, 20u);
  EXPECT_EQ(plan_work(taking(1e-6)).work.timed_one_in, work_setting::sparse_sampling - 1);
  f.all_inlined = true;
  EXPECT_EQ(plan_work(f).work.timed_one_in, work_setting::sparse_sampling);
}

TEST(a_work_plan, make_a_stream_a_millisecond_long_with_places_for_every_lane_and_for_the_load) {
  EXPECT_EQ(plan_work(taking(10e-6)).capacity, 100u);
  EXPECT_EQ(plan_work(taking(1e-9)).capacity, 1024u) << "no longer than it can be";
  region_facts f = taking(1);
  f.lanes = 8;
  EXPECT_EQ(plan_work(f).capacity, 18u);
  f.lanes = 1;
  f.load = 1;
  EXPECT_EQ(plan_work(f).capacity, 19u);
  f.fed_by_its_group = true;
  EXPECT_EQ(plan_work(f).capacity, 4u) << "a worker that finds no room has other work";
  f = taking(1e-6);
  f.between = 100e-6;  // the next box takes a record in that time
  EXPECT_EQ(plan_work(f).capacity, 10u);
  f.between = 1;
  EXPECT_EQ(plan_work(f).capacity, 4u);
  f.between = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plan_work(f).capacity, 4u) << "not known yet, so as little as keeps going";
  f.between = 0;
  f.load = 0;
  f.bytes = 1e6;
  EXPECT_EQ(plan_work(f).capacity, 64u) << "64 MB";
  f.bytes = 100e6;
  EXPECT_EQ(plan_work(f).capacity, 4u);
  EXPECT_EQ(places_for(2), places_for(1)) << "beyond full load no length helps";
}

TEST(a_pace, is_unknown_until_four_invocations_were_seen) {
  EXPECT_EQ(pace_of(pace::unknown, 1e-6, 3), pace::unknown);
  EXPECT_EQ(pace_of(pace::unknown, 1e-6, 4), pace::inlined);
  EXPECT_EQ(pace_of(pace::unknown, 6e-6, 4), pace::timed);
}

TEST(a_pace, is_inlined_below_5_microseconds_and_until_20) {
  EXPECT_EQ(pace_of(pace::timed, 4.9e-6, 1000), pace::inlined);
  EXPECT_EQ(pace_of(pace::sampled, 5.1e-6, 1000), pace::sampled);
  EXPECT_EQ(pace_of(pace::inlined, 19e-6, 1000), pace::inlined);
  EXPECT_EQ(pace_of(pace::inlined, 21e-6, 1000), pace::sampled);
  EXPECT_EQ(pace_of(pace::inlined, 21e-6, 255), pace::timed);
}

TEST(a_pace, is_sampled_below_50_microseconds_of_256_invocations_and_until_200) {
  EXPECT_EQ(pace_of(pace::timed, 49e-6, 255), pace::timed);
  EXPECT_EQ(pace_of(pace::timed, 49e-6, 256), pace::sampled);
  EXPECT_EQ(pace_of(pace::timed, 51e-6, 256), pace::timed);
  EXPECT_EQ(pace_of(pace::sampled, 199e-6, 256), pace::sampled);
  EXPECT_EQ(pace_of(pace::sampled, 201e-6, 256), pace::timed);
}

TEST(the_pace_of_a_component, is_sampled_after_four_short_invocations_in_a_row_before_a_step_knows_it) {
  component_pace p;
  for (const double us : {1, 1, 1, 6, 1, 1, 1}) p.note_timed(us * 1e-6);
  EXPECT_FALSE(p.is_sampled());
  p.note_timed(1e-6);
  EXPECT_TRUE(p.is_sampled());
  EXPECT_FALSE(p.is_inlined());
}

TEST(the_pace_of_a_component, is_kept_while_each_invocation_on_its_own_cores_is_timed) {
  component_pace p;
  p.set_on_own_cores(true);
  for (int i = 0; i < 8; ++i) p.note_timed(1e-6);
  p.set(pace::inlined);
  EXPECT_TRUE(p.is_inlined());
  EXPECT_FALSE(p.is_sampled());
  p.set_on_own_cores(false);
  EXPECT_TRUE(p.is_sampled());
}

}  // namespace
}  // namespace weir::detail
