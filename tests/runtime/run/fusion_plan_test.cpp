#include "runtime/run/fusion_plan.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <vector>

namespace weir::detail {
namespace {

constexpr int any_number = std::numeric_limits<int>::max();

entity_facts box_of(bool is_inlined) {
  entity_facts f;
  f.is_box = true;
  f.is_inlined = is_inlined;
  f.widest = any_number;
  return f;
}
entity_facts short_box() { return box_of(true); }
entity_facts long_box() { return box_of(false); }
// A filter or the dispatch of a choice: not a box.
entity_facts other() {
  entity_facts f;
  f.widest = any_number;
  return f;
}
entity_facts behind(entity_facts f, std::initializer_list<std::size_t> before) {
  f.before = before;
  return f;
}
entity_facts owner() {
  entity_facts f = long_box();
  f.own_cores = 1;
  f.limit = 2;
  return f;
}
entity_facts waiting() {
  entity_facts f = long_box();
  f.waits = true;
  return f;
}
entity_facts initialiser() {
  entity_facts f = long_box();
  f.initialiser = f.always_head = f.emits = true;
  return f;
}

using plan = std::vector<bool>;
plan fused(const std::vector<entity_facts>& stages, int shared_lanes = 1) {
  return plan_fusion(stages, shared_lanes, false).fused;
}

TEST(a_fusion_plan, leaves_the_first_stage_a_head) { EXPECT_EQ(fused({short_box()}), plan{false}); }

TEST(a_fusion_plan, fuses_what_the_shared_group_runs_anyway) {
  EXPECT_EQ(fused({long_box(), behind(long_box(), {0}), behind(other(), {1})}), (plan{false, true, true}));
}

// A serial box behind a serial one: a group with two lanes runs both at the same time, on different records.
TEST(a_fusion_plan, keeps_boxes_apart_that_take_long_and_would_share_too_few_lanes) {
  std::vector<entity_facts> serial{long_box(), behind(long_box(), {0}), behind(other(), {1})};
  EXPECT_EQ(fused(serial, 2), (plan{false, true, true})) << "not worth waking another thread";
  for (entity_facts& f : serial) f.takes_long = f.is_box;
  EXPECT_EQ(fused(serial, 2), (plan{false, false, true}));
  EXPECT_EQ(fused(serial, 1), (plan{false, true, true})) << "one lane runs one of them at a time anyway";
  std::vector<entity_facts> wide = serial;
  for (entity_facts& f : wide) f.limit = 2;
  EXPECT_EQ(fused(wide, 2), (plan{false, true, true})) << "two records go through both";
  EXPECT_EQ(fused({serial[0], behind(short_box(), {0})}, 2), (plan{false, true}));
}

TEST(a_fusion_plan, gives_a_box_with_cores_of_its_own_a_region_of_its_own) {
  EXPECT_EQ(fused({long_box(), behind(owner(), {0})}), (plan{false, false}));
}

TEST(a_fusion_plan, fuses_to_an_owner_only_what_is_short) {
  EXPECT_EQ(fused({owner(), behind(short_box(), {0})}), (plan{false, true}));
  EXPECT_EQ(fused({owner(), behind(other(), {0})}), (plan{false, true}));
  EXPECT_EQ(fused({owner(), behind(long_box(), {0})}), (plan{false, false}));
}

TEST(a_fusion_plan, fuses_nothing_to_a_box_that_waits_outside_the_cores_and_never_fuses_that) {
  EXPECT_EQ(fused({waiting(), behind(short_box(), {0}), behind(other(), {1})}), (plan{false, false, true}));
  EXPECT_EQ(fused({short_box(), behind(waiting(), {0})}), (plan{false, false}));
}

TEST(a_fusion_plan, never_makes_a_region_of_an_owner_narrower) {
  entity_facts narrow = other();
  narrow.widest = 1;
  EXPECT_EQ(fused({owner(), behind(narrow, {0})}), (plan{false, false})) << "the owner runs two at once";
  entity_facts single = owner();
  single.limit = 1;
  EXPECT_EQ(fused({single, behind(narrow, {0})}), (plan{false, true}));
}

// A box that makes `parts` of a record in `seconds`, and a short serial one that takes them.
plan fused_parts(double parts, double seconds, double seconds_of_a_part, bool is_fused = false) {
  entity_facts cut = short_box(), sum = behind(short_box(), {0});
  cut.limit = 2;
  cut.seconds = seconds;
  sum.widest = 1;
  sum.records = parts;
  sum.seconds = parts * seconds_of_a_part;
  sum.is_fused = is_fused;
  return fused({cut, sum}, 2);
}

TEST(a_fusion_plan, makes_a_region_of_the_group_narrower_where_handing_over_costs_more_than_a_lane_gains) {
  const plan apart{false, false}, together{false, true};
  EXPECT_EQ(fused_parts(100, 2e-6, 10e-9), together) << "15 us of hand-overs for 3 us of work";
  EXPECT_EQ(fused_parts(1, 2e-6, 10e-9), apart) << "two lanes take two records in 2.15 us";
  EXPECT_EQ(fused_parts(1, 0.1e-6, 10e-9), together);
  EXPECT_EQ(fused_parts(1, 1e-3, 10e-9), apart);
  EXPECT_EQ(fused_parts(1, std::numeric_limits<double>::quiet_NaN(), 10e-9), apart) << "of unknown length";
}

TEST(a_fusion_plan, keeps_a_narrow_region_until_lanes_gain_a_quarter) {
  EXPECT_EQ(fused_parts(1, 0.33e-6, 10e-9), (plan{false, false}));
  EXPECT_EQ(fused_parts(1, 0.33e-6, 10e-9, true), (plan{false, true}));
  EXPECT_EQ(fused_parts(1, 1e-6, 10e-9, true), (plan{false, false}));
}

// A box behind the one that made a region narrow no longer makes it narrower.
TEST(a_fusion_plan, fuses_all_that_is_as_narrow_behind_what_made_a_region_narrow) {
  entity_facts cut = short_box(), sum = behind(short_box(), {0}), next = behind(short_box(), {1});
  cut.limit = 2;
  sum.widest = next.widest = 1;
  sum.records = 100;
  next.seconds = 1e-3;
  EXPECT_EQ(fused({cut, sum, next}, 2), (plan{false, true, true}));
}

TEST(a_fusion_plan, makes_a_long_box_no_narrower) {
  entity_facts before = long_box(), wide = long_box();
  wide.limit = 2;
  EXPECT_EQ(fused({before, behind(wide, {0})}), (plan{false, false}));
  wide.is_inlined = true;
  EXPECT_EQ(fused({before, behind(wide, {0})}), (plan{false, true}));
}

TEST(a_fusion_plan, fuses_to_several_regions_only_what_is_short_and_may_run_in_any_number) {
  const auto joined = [](entity_facts last) -> bool {
    return fused({owner(), owner(), behind(std::move(last), {0, 1})})[2];
  };
  EXPECT_TRUE(joined(short_box()));
  EXPECT_TRUE(joined(other()));
  EXPECT_FALSE(joined(long_box()));
  entity_facts limited = short_box();
  limited.widest = 3;
  EXPECT_FALSE(joined(limited));
  limited.limits_concurrency = true;
  EXPECT_TRUE(joined(limited));
}

TEST(a_fusion_plan, fuses_to_an_initialiser_what_is_short) {
  EXPECT_EQ(fused({initialiser(), behind(short_box(), {0}), behind(other(), {0})}), (plan{false, true, true}));
  EXPECT_EQ(fused({initialiser(), behind(long_box(), {0})}), (plan{false, false}));
}

// A source, and a short box with these lanes behind it.
fusion_plan plan_source(double seconds, int lanes, bool separates = false) {
  entity_facts work = behind(short_box(), {0});
  work.seconds = seconds;
  work.limit = work.widest = lanes;
  const std::vector<entity_facts> all{initialiser(), work};
  return plan_fusion(all, 2, separates);
}

TEST(a_fusion_plan, spares_an_initialiser_where_other_lanes_take_more_records_so) {
  EXPECT_FALSE(plan_source(0.2e-6, 2).separates_sources) << "0.3 us there, as on two lanes with two hand-overs";
  EXPECT_TRUE(plan_source(0.5e-6, 2).separates_sources) << "0.6 us there, 0.45 us on two lanes";
  EXPECT_FALSE(plan_source(0.5e-6, 2).fused[1]);
  EXPECT_FALSE(plan_source(20e-6, 1).separates_sources) << "one lane takes as long as the initialiser's thread";
}

TEST(a_fusion_plan, goes_on_sparing_an_initialiser_until_that_gains_nothing) {
  EXPECT_FALSE(plan_source(0.25e-6, 2).separates_sources);
  EXPECT_TRUE(plan_source(0.25e-6, 2, true).separates_sources);
  EXPECT_FALSE(plan_source(0.15e-6, 2, true).separates_sources);
}

TEST(a_fusion_plan, separates_an_initialiser_by_choice_or_else_by_expectation) {
  entity_facts work = behind(short_box(), {0});
  work.seconds = 0.5e-6;
  work.limit = work.widest = 2;
  const std::vector<entity_facts> all{initialiser(), work};
  const fusion_plan usual = plan_fusion(all, 2, false), fused_one = plan_fusion(all, 2, false, {.separates = false}),
                    separate = plan_fusion(all, 2, false, {.separates = true});
  EXPECT_TRUE(usual.separates_sources);
  EXPECT_FALSE(fused_one.separates_sources);
  EXPECT_TRUE(separate.separates_sources);
  EXPECT_DOUBLE_EQ(usual.least_if_separated_otherwise, fused_one.seconds);
  EXPECT_DOUBLE_EQ(fused_one.least_if_separated_otherwise, separate.seconds);
}

TEST(a_fusion_plan, separates_an_initialiser_on_one_core_by_choice_alone) {
  entity_facts work = behind(short_box(), {0});
  work.seconds = 0.5e-6;
  const std::vector<entity_facts> all{initialiser(), work};
  const fusion_plan usual = plan_fusion(all, 1, false);
  EXPECT_EQ(usual.fused, (plan{false, true}));
  EXPECT_EQ(plan_fusion(all, 1, true).fused, (plan{false, true}));
  EXPECT_EQ(plan_fusion(all, 1, false, {.separates = true}).fused, (plan{false, false}));
  EXPECT_DOUBLE_EQ(usual.least_if_separated_otherwise, (0.1 + 0.5 - 0.03) * 1e-6)
      << "hand-overs may cost nothing, and the box may take less than was timed";
}

TEST(a_fusion_plan, separates_an_initialiser_with_a_core_of_its_own_from_one_lane) {
  entity_facts source = initialiser(), first = behind(short_box(), {0}), second = behind(long_box(), {1});
  source.own_cores = 1;
  first.seconds = second.seconds = 3e-6;
  EXPECT_FALSE(plan_fusion(std::vector{source, first, second}, 1, true).separates_sources)
      << "6.4 us on the lane, 3.4 us on either without";
  const fusion_plan both_short = plan_fusion(std::vector{source, first, behind(first, {1})}, 1, false);
  EXPECT_FALSE(both_short.separates_sources);
  EXPECT_LT(both_short.least_if_separated_otherwise, fusion_plan::none) << "a trial may";
}

TEST(a_fusion_plan, separates_the_entry_of_a_split_with_what_is_in_its_branches) {
  entity_facts split = behind(other(), {0}), fold = behind(short_box(), {1});
  split.finds_branch = true;
  split.widest = fold.widest = 1;
  fold.seconds = 0.1e-6;
  fold.limit = 2;
  const std::vector<entity_facts> all{initialiser(), split, fold};
  EXPECT_EQ(plan_fusion(all, 2, false, {.separates = false}).fused, (plan{false, true, true}));
  EXPECT_EQ(plan_fusion(all, 2, false, {.separates = true}).fused, (plan{false, false, true}));
  entity_facts filter = behind(other(), {0});
  EXPECT_EQ(plan_fusion(std::vector{initialiser(), filter, behind(fold, {1})}, 2, false, {.separates = true}).fused[1],
            true)
      << "a filter looks up nothing";
}

TEST(a_fusion_plan, offers_one_lane_where_there_are_several_and_one_initialiser_at_most) {
  const auto least = [](const std::vector<entity_facts>& all, int lanes) {
    return plan_fusion(all, lanes, false).least_on_one_lane;
  };
  entity_facts work = behind(short_box(), {0}), source = initialiser(), second = initialiser();
  work.seconds = 2e-6;
  EXPECT_DOUBLE_EQ(least({source, work}, 2), (0.1 + 2 - 0.03) * 1e-6);
  EXPECT_EQ(least({source, work}, 1), fusion_plan::none);
  source.own_cores = 1;
  EXPECT_LT(least({source, work}, 1), fusion_plan::none) << "its core and the lane";
  source.own_cores = 2;
  EXPECT_EQ(least({source, work}, 2), fusion_plan::none) << "a box would get both";
  source.own_cores = 0;
  EXPECT_EQ(least({source, second, behind(work, {0, 1})}, 2), fusion_plan::none);
}

TEST(a_fusion_plan, spares_the_initialiser_only_before_the_next_head) {
  entity_facts work = behind(short_box(), {1});
  work.seconds = 20e-6;
  EXPECT_EQ(fused({initialiser(), behind(owner(), {0}), work}, 2), (plan{false, false, true}));
}

TEST(a_fusion_plan, offers_large_networks_no_other_place_for_an_initialiser) {
  for (const std::size_t boxes : {200u, 300u}) {
    std::vector<entity_facts> chain{initialiser()};
    for (std::size_t i = 0; i < boxes; ++i) chain.push_back(behind(short_box(), {i}));
    const fusion_plan made = plan_fusion(chain, 2, false);
    EXPECT_EQ(made.least_if_separated_otherwise == fusion_plan::none, boxes > 256) << boxes;
    EXPECT_EQ(made.least_on_one_lane == fusion_plan::none, boxes > 256) << boxes;
  }
}

// A serial box of 10 us between short boxes, the last of which takes `behind_it` seconds; on two lanes.
plan fused_behind_serial(double behind_it, bool is_fused) {
  entity_facts first = long_box(), serial = behind(long_box(), {0}), last = behind(short_box(), {1});
  first.seconds = 4e-6;
  first.limit = last.limit = 2;
  serial.seconds = 10e-6;
  serial.limit = serial.widest = 1;
  last.seconds = behind_it;
  last.is_fused = is_fused;
  return fused({first, serial, last}, 2);
}

TEST(a_fusion_plan, leaves_nothing_behind_a_box_that_bounds_the_network_where_that_pays) {
  EXPECT_EQ(fused_behind_serial(2e-6, true), (plan{false, false, false})) << "10.3 us a record, not 12.2";
  EXPECT_EQ(fused_behind_serial(0.5e-6, true), (plan{false, false, true})) << "two hand-overs gain 0.2 of 10.7 us";
}

TEST(a_fusion_plan, goes_on_without_what_stood_behind_that_box_until_it_gains_nothing) {
  EXPECT_EQ(fused_behind_serial(0.5e-6, false), (plan{false, false, false}));
  EXPECT_EQ(fused_behind_serial(0.1e-6, false), (plan{false, false, true}));
}

TEST(a_fusion_plan, leaves_a_short_box_where_the_lanes_together_bound_the_network) {
  entity_facts first = long_box(), serial = behind(long_box(), {0}), last = behind(short_box(), {1});
  first.seconds = 30e-6;
  first.limit = last.limit = 2;
  serial.seconds = 10e-6;
  serial.limit = serial.widest = 1;
  last.seconds = 2e-6;
  EXPECT_EQ(fused({first, serial, last}, 2), (plan{false, false, true}));
}

// A star's entry, which one lane runs, with short boxes of these seconds behind it; on two lanes.
fusion_plan plan_behind_entry(double first, double second, bool cuts_short, bool are_fused = true) {
  entity_facts entry = other();
  entry.widest = entry.limit = 1;
  entry.always_head = true;
  entity_facts a = behind(short_box(), {0}), b = behind(short_box(), {1});
  a.seconds = first;
  b.seconds = second;
  a.limit = b.limit = 2;
  a.is_fused = b.is_fused = are_fused;
  const std::vector<entity_facts> all{entry, a, b};
  plan_choice choice;
  choice.cuts_short = cuts_short;
  return plan_fusion(all, 2, false, choice);
}

TEST(a_fusion_plan, cuts_short_boxes_off_a_narrow_region_only_by_choice) {
  const fusion_plan inline_ones = plan_behind_entry(4e-6, 1e-6, false);
  EXPECT_EQ(inline_ones.fused, (plan{false, true, true}));
  EXPECT_FALSE(inline_ones.cuts_short);
  EXPECT_DOUBLE_EQ(inline_ones.least_if_cut, 2.5e-6) << "two lanes share the work";
  const fusion_plan cut = plan_behind_entry(4e-6, 1e-6, true);
  EXPECT_EQ(cut.fused, (plan{false, false, false}));
  EXPECT_TRUE(cut.cuts_short);
  EXPECT_LT(cut.seconds, 0.9 * inline_ones.seconds);
}

TEST(a_fusion_plan, leaves_short_boxes_apart_until_they_cost_a_fifth_less_than_a_hand_over) {
  EXPECT_EQ(plan_behind_entry(0.29e-6, 0.1e-6, true).least_if_cut, fusion_plan::none);
  EXPECT_LT(plan_behind_entry(0.31e-6, 0.1e-6, true).least_if_cut, fusion_plan::none);
  EXPECT_LT(plan_behind_entry(0.25e-6, 0.1e-6, true, false).least_if_cut, fusion_plan::none);
  EXPECT_EQ(plan_behind_entry(0.23e-6, 0.1e-6, true, false).least_if_cut, fusion_plan::none);
}

TEST(a_fusion_plan, cuts_nothing_off_where_hand_overs_cost_as_much_as_the_boxes) {
  const fusion_plan made = plan_behind_entry(0.1e-6, 0.1e-6, true);
  EXPECT_EQ(made.fused, (plan{false, true, true}));
  EXPECT_EQ(made.least_if_cut, fusion_plan::none);
  EXPECT_FALSE(made.cuts_short);
}

TEST(a_fusion_plan, nests_64_emitting_boxes_at_most) {
  std::vector<entity_facts> chain;
  for (std::size_t i = 0; i < 200; ++i) {
    chain.push_back(short_box());
    chain.back().emits = true;
    if (i > 0) chain.back().before = {i - 1};
  }
  int nesting = 0;
  const plan all = fused(chain);
  for (std::size_t i = 0; i < all.size(); ++i) {
    nesting = all[i] ? nesting + 1 : 1;
    EXPECT_LE(nesting, 64) << i;
    EXPECT_TRUE(all[i] || i % 64 == 0) << i;
  }
}

TEST(a_fusion_plan, lets_what_is_entered_with_another_be_part_of_that_ones_region) {
  entity_facts star = other(), back = other();
  star.widest = back.widest = 1;
  star.always_head = true;
  back.entered_with = 0;
  entity_facts body = behind(long_box(), {0});
  body.widest = 1;
  EXPECT_EQ(fused({star, back, body}), (plan{false, false, true}));
}

// An ordered network: its entry, a choice, two branches, its exit.
plan fused_ordered(entity_facts one, entity_facts other_branch) {
  entity_facts entry = other(), exit = behind(other(), {2, 3});
  entry.widest = exit.widest = 1;
  exit.ordered_from = 0;
  return fused({entry, behind(other(), {0}), behind(one, {1}), behind(other_branch, {1}), exit});
}

TEST(a_fusion_plan, lets_nothing_sort_where_one_region_runs_all_of_an_ordered_network) {
  EXPECT_EQ(fused_ordered(short_box(), long_box()), (plan{false, true, true, true, true}));
}

TEST(a_fusion_plan, sorts_where_a_part_of_an_ordered_network_has_a_region_of_its_own) {
  EXPECT_EQ(fused_ordered(short_box(), owner()), (plan{false, true, true, false, false}));
  EXPECT_EQ(fused_ordered(owner(), waiting()), (plan{false, true, false, false, false}));
}

TEST(a_fusion_plan, fuses_the_entry_of_an_ordered_network_only_with_its_exit) {
  entity_facts outer = behind(other(), {0}), inner = behind(other(), {1}), inner_exit = behind(other(), {3}),
               outer_exit = behind(other(), {4});
  outer.widest = inner.widest = inner_exit.widest = outer_exit.widest = 1;
  inner_exit.ordered_from = 2;
  outer_exit.ordered_from = 1;
  const auto with = [&](const entity_facts& box) {
    return fused({long_box(), outer, inner, behind(box, {2}), inner_exit, outer_exit});
  };
  EXPECT_EQ(with(short_box()), (plan{false, true, true, true, true, true}));
  EXPECT_EQ(with(owner()), (plan{false, false, false, false, false, false}));
}

TEST(a_fusion_plan, sorts_behind_a_loop_in_an_ordered_network) {
  entity_facts entry = other(), star = behind(other(), {0}), back = other(), exit = behind(other(), {1, 2});
  entry.widest = star.widest = back.widest = exit.widest = 1;
  star.always_head = true;
  back.entered_with = 1;
  exit.ordered_from = 0;
  EXPECT_EQ(fused({entry, star, back, exit}), (plan{false, false, false, false}));
}

}  // namespace
}  // namespace weir::detail
