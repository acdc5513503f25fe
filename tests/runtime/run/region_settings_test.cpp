#include "runtime/run/region_settings.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/engine/region.hpp"

namespace weir::detail {
namespace {

region_facts taking(double seconds) {
  region_facts f;
  f.seconds = seconds;
  f.shared = true;
  f.suits_senders = true;
  f.most_capacity = 1024;
  f.between = 0;
  return f;
}

TEST(the_settings_of_a_region, of_which_nothing_is_known_take_one_record_at_a_time_and_time_each) {
  const region_settings s = settings_of({});
  EXPECT_EQ(s.batch, 1u);
  EXPECT_EQ(s.most_in_batch, 1u);
  EXPECT_EQ(s.timed_one_in, 1u);
  EXPECT_EQ(s.capacity, 4u);
  EXPECT_FALSE(s.lets_senders_in);
}

TEST(the_settings_of_a_region, fill_a_batch_with_50_microseconds_and_500_at_most) {
  const region_settings s = settings_of(taking(10e-6));
  EXPECT_EQ(s.batch, 5u);
  EXPECT_EQ(s.most_in_batch, 50u);
  EXPECT_EQ(settings_of(taking(0)).batch, intake::largest_batch);
  EXPECT_EQ(settings_of(taking(1)).most_in_batch, 1u);
}

TEST(the_settings_of_a_region, give_less_at_once_to_cores_of_its_own_since_a_new_grant_waits_for_the_end) {
  region_facts f = taking(5e-6);
  f.shared = false;
  EXPECT_EQ(settings_of(f).most_in_batch, 4u);
}

TEST(the_settings_of_a_region, give_a_box_that_waits_one_record_at_a_time) {
  region_facts f = taking(1e-6);
  f.waits = true;
  EXPECT_EQ(settings_of(f).batch, 1u);
  EXPECT_EQ(settings_of(f).most_in_batch, 1u);
}

TEST(the_settings_of_a_region, let_a_sender_run_only_what_is_below_a_wake_up_and_waits_for_nobody) {
  EXPECT_TRUE(settings_of(taking(9e-6)).lets_senders_in);
  EXPECT_FALSE(settings_of(taking(11e-6)).lets_senders_in);
  region_facts f = taking(1e-6);
  f.suits_senders = false;
  EXPECT_FALSE(settings_of(f).lets_senders_in);
}

TEST(the_settings_of_a_region, time_a_thousand_records_a_second_and_lane_and_of_short_boxes_one_in_64) {
  EXPECT_EQ(settings_of(taking(100e-6)).timed_one_in, 10u);
  region_facts f = taking(100e-6);
  f.lanes = 2;
  EXPECT_EQ(settings_of(f).timed_one_in, 20u);
  EXPECT_EQ(settings_of(taking(1e-6)).timed_one_in, region::seldom - 1);
  f.all_short = true;
  EXPECT_EQ(settings_of(f).timed_one_in, region::seldom);
}

TEST(the_settings_of_a_region, make_a_stream_a_millisecond_long_with_places_for_every_lane_and_for_the_load) {
  EXPECT_EQ(settings_of(taking(10e-6)).capacity, 100u);
  EXPECT_EQ(settings_of(taking(1e-9)).capacity, 1024u) << "no longer than it can be";
  region_facts f = taking(1);
  f.lanes = 8;
  EXPECT_EQ(settings_of(f).capacity, 18u);
  f.lanes = 1;
  f.load = 1;
  EXPECT_EQ(settings_of(f).capacity, 19u);
  f.fed_by_its_group = true;
  EXPECT_EQ(settings_of(f).capacity, 4u) << "a worker that finds no room has other work";
  f = taking(1e-6);
  f.between = 100e-6;  // what is behind takes one in that time
  EXPECT_EQ(settings_of(f).capacity, 10u);
  f.between = 1;
  EXPECT_EQ(settings_of(f).capacity, 4u);
  f.between = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(settings_of(f).capacity, 4u) << "not known yet, so as little as keeps going";
  f.between = 0;
  f.load = 0;
  f.bytes = 1e6;
  EXPECT_EQ(settings_of(f).capacity, 64u) << "64 MB";
  f.bytes = 100e6;
  EXPECT_EQ(settings_of(f).capacity, 4u);
  EXPECT_EQ(places_for(2), places_for(1)) << "beyond full load no length helps";
}

}  // namespace
}  // namespace weir::detail
