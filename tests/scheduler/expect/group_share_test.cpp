#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "scheduler/expect/group_share.hpp"
#include "tests/scheduler/views.hpp"

// Invocations of a shared group that divide its idle cores.
namespace weir {
namespace {

using testing::amdahl;
using testing::component;
using testing::view_of;

int most_of(component_view c, int cores = 16) { return share_in_group(view_of(cores, {std::move(c)}), 0).most_cores; }

// Invocations of these seconds on one core begin one after the other on free cores. Returns the cores that each gets.
std::vector<int> begun(int cores, const std::vector<double>& seconds, int most = unlimited) {
  std::vector<int> each;
  int free = cores;
  for (std::size_t i = 0; i < seconds.size() && free > 0; ++i) {
    group_work ahead(cores, free - 1, static_cast<int>(i));
    for (std::size_t k = i + 1; k < seconds.size(); ++k) ahead.add_waiting(1, seconds[k], seconds[i]);
    each.push_back(ahead.cores_of_next(most));
    free -= each.back();
    EXPECT_GE(free, 0);
  }
  return each;
}

// Whatever the times, no core is given twice and each invocation that could have begun alone on a core does.
TEST(idle_cores, suffice_for_all_that_are_as_long) {
  std::mt19937 random(1);
  for (int k = 0; k < 2000; ++k) {
    const int cores = 1 + static_cast<int>(random() % 64), most = 1 + static_cast<int>(random() % 64);
    std::vector<double> seconds(1 + random() % 80);
    for (double& s : seconds) s = 1 + 0.9 * static_cast<double>(random() % 100) / 100;
    const std::vector<int> each = begun(cores, seconds, most);
    EXPECT_EQ(each.size(), std::min<std::size_t>(seconds.size(), static_cast<std::size_t>(cores)));
    for (const int one : each) EXPECT_TRUE(one >= 1 && one <= most);
  }
}

TEST(idle_cores, are_all_given_where_invocations_are_few) {
  EXPECT_EQ(begun(48, {1}), std::vector<int>{48});
  EXPECT_EQ(begun(8, {1, 1, 1}), (std::vector<int>{3, 3, 2}));
  EXPECT_EQ(begun(8, {1, 1, 1, 1, 1}), (std::vector<int>{2, 2, 2, 1, 1}));
}

// A score of 0.3 s waits while an encoder of 5 s begins on two cores: it can wait until the encoder ends.
TEST(idle_cores, are_not_kept_for_short_invocations) {
  EXPECT_EQ(begun(2, {5, 0.3}), std::vector<int>{2});
  EXPECT_EQ(begun(2, {5, 4}), (std::vector<int>{1, 1}));
  EXPECT_EQ(begun(2, {5, 0}), (std::vector<int>{1, 1})) << "its time is not known";
  EXPECT_EQ(begun(16, {1, .4, .4, .4, .4, .4, .4, .4, .4, .4, .4})[0], 3) << "16 over 1 and ten times 0.4";
}

// T(p) = (1 - alpha) + alpha / p: for 0.9 it is half as efficient as one core at 11 cores.
TEST(idle_cores, are_as_many_as_a_component_uses_well) {
  EXPECT_EQ(most_of(component("a", amdahl(1, .9))), 8);
  EXPECT_EQ(most_of(component("a", amdahl(1, .99))), 16);
  EXPECT_EQ(most_of(component("a", amdahl(1, .1))), 1);
  EXPECT_EQ(most_of(component("a", [](double, int p) { return 1. * p; })), 1) << "cores hurt";
}

TEST(idle_cores, are_one_for_a_component_that_may_use_or_gains_no_more) {
  component_view c = component("a", amdahl(1, .99));
  c.sequential = true;
  EXPECT_EQ(most_of(c), 1);
  c.sequential = false;
  c.max_cores = 3;
  EXPECT_EQ(most_of(c), 3);
  c.max_cores = unlimited;
  c.most_together = 8;
  EXPECT_EQ(most_of(c), 1) << "it takes batches";
  c.most_together = 1;
  c.blocking = 2;
  EXPECT_EQ(most_of(c), 1) << "it holds no cores";
  EXPECT_EQ(most_of(component("a", amdahl(100e-6, .99))), 1) << "it is short";
}

TEST(idle_cores, are_half_before_the_first_invocation) {
  EXPECT_EQ(most_of(testing::unobserved("a")), 8);
  EXPECT_EQ(most_of(testing::unobserved("a"), 1), 1);
  const std::vector<component_view> many(17, testing::unobserved("a"));
  EXPECT_EQ(share_in_group(view_of(16, many), 0).most_cores, 1) << "of many, most are short";
}

// Their cores follow from times on one core.
TEST(idle_cores, are_not_divided_beside_owners) {
  allotment given;
  given.components.resize(2);
  given.shared = core_set::range(0, 4);
  EXPECT_TRUE(divides_idle_cores(given));
  given.components[1].cores = {4};
  EXPECT_FALSE(divides_idle_cores(given));
}

}  // namespace
}  // namespace weir
