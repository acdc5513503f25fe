#include <weir/scheduler/expect/record_paths.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

constexpr double slowest_only = std::numeric_limits<double>::infinity();

system_view network(std::vector<double> visits, std::vector<link> links) {
  system_view view;
  for (double v : visits) {
    component_view c;
    c.visits = v;
    view.components.push_back(c);
  }
  view.links = std::move(links);
  return view;
}

TEST(record_paths, on_a_chain_it_is_the_sum_of_visits_times_sojourn) {
  const record_paths unnamed(network({1, 3, .5}, {}));
  EXPECT_DOUBLE_EQ(unnamed.seconds({2, 5, 7}), 2 + 15 + 3.5);
  EXPECT_EQ(unnamed.weights({2, 5, 7}, slowest_only), (std::vector<double>{1, 3, .5}));
  // Three records for each one, and a filter that passes a sixth of them.
  const record_paths linked(network({1, 3, .5}, {{-1, 0, 1}, {0, 1, 3}, {1, 2, .5}, {2, -1, .5}}));
  EXPECT_DOUBLE_EQ(linked.seconds({2, 15, 7}), 2 + 15 + 3.5);
  EXPECT_TRUE(linked.is_additive());
}

// No record enters an initialiser, so no link leads to it: its records come from the input, as records sent do.
TEST(record_paths, what_an_initialiser_emits_comes_from_the_input) {
  const record_paths paths(network({0, 1, 2}, {{0, 1, 1}, {1, 2, 2}, {2, -1, 2}}));
  EXPECT_DOUBLE_EQ(paths.seconds({100, 2, 10}), 2 + 10);
  EXPECT_EQ(paths.weights({100, 2, 10}, slowest_only), (std::vector<double>{0, 1, 1}));
  // One of two sources; the other is the records sent.
  const record_paths both(network({0, 1}, {{-1, 1, .5}, {0, 1, .5}, {1, -1, 1}}));
  EXPECT_DOUBLE_EQ(both.seconds({100, 3}), 3);
}

TEST(record_paths, copies_follow_each_other_at_the_pace_of_the_slowest_component) {
  // A document becomes 20 pages, of which each passes two components; then they are one again.
  const record_paths paths(network({1, 20, 20, 1}, {{-1, 0, 1}, {0, 1, 20}, {1, 2, 20}, {2, 3, 20}, {3, -1, 1}}));
  EXPECT_EQ(paths.copies(), (std::vector<double>{1, 20, 20, 1}));
  EXPECT_EQ(paths.in_batches(), (std::vector<bool>{false, true, false, false}));
  EXPECT_FALSE(paths.is_additive());
  EXPECT_DOUBLE_EQ(paths.seconds({1, 2, 3, 4}, {0, 19 * 2, 19 * 3, 0}), 1 + 2 + 3 + 4 + 19 * 3);
  EXPECT_DOUBLE_EQ(paths.seconds({1, 20 * 2, 20 * 3, 4}), 1 + 2 + 3 + 4 + 19 * 3);
  EXPECT_EQ(paths.pace_before({1, 2, 3, 4}), (std::vector<double>{0, 0, 2, 3}));
  // Some of 20 pages surely take the slow way, though only a tenth of them do.
  const record_paths choice(
      network({1, 18, 2, 20}, {{-1, 0, 1}, {0, 1, 18}, {0, 2, 2}, {1, 3, 18}, {2, 3, 2}, {3, -1, 20}}));
  EXPECT_DOUBLE_EQ(choice.seconds({1, 1, 50, 1}, {0, 17, 50, 19}), 1 + 50 + 1 + 50);
}

TEST(record_paths, of_ways_that_exclude_each_other_it_is_the_mean) {
  const record_paths paths(
      network({1, .25, .75, 1}, {{-1, 0, 1}, {0, 1, .25}, {0, 2, .75}, {1, 3, .25}, {2, 3, .75}, {3, -1, 1}}));
  EXPECT_DOUBLE_EQ(paths.seconds({1, 8, 4, 2}), 1 + .25 * 8 + .75 * 4 + 2);
  EXPECT_EQ(paths.weights({1, 8, 4, 2}, slowest_only), (std::vector<double>{1, .25, .75, 1}));
  EXPECT_TRUE(paths.is_additive());
}

TEST(record_paths, of_copies_side_by_side_it_is_the_slowest) {
  const record_paths paths(network({1, 1, 1, 2}, {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}, {3, -1, 1}}));
  EXPECT_FALSE(paths.is_additive());
  EXPECT_DOUBLE_EQ(paths.seconds({1, 8, 4, 2}), 1 + 8 + 2);
  EXPECT_EQ(paths.weights({1, 8, 4, 2}, slowest_only), (std::vector<double>{1, 1, 0, 1}));
  EXPECT_DOUBLE_EQ(paths.seconds({1, 3, 4, 2}), 1 + 4 + 2);
  const std::vector<double> soft = paths.weights({1, 8, 8, 2}, 8);
  EXPECT_DOUBLE_EQ(soft[1], .5);
  EXPECT_DOUBLE_EQ(soft[2], .5);
}

TEST(record_paths, a_slow_side_way_counts_by_the_part_that_takes_it_and_counting_errors_change_little) {
  const auto side = [](double part) {
    return record_paths(network({1, 1, part}, {{-1, 0, 1}, {0, 1, 1}, {0, 2, part}, {1, -1, 1}, {2, -1, part}}))
        .seconds({1, 2, 100});
  };
  EXPECT_DOUBLE_EQ(side(.01), 1 + .01 * 100 + .99 * 2);
  EXPECT_DOUBLE_EQ(side(1), 101);
  const auto choice = [](double part) {
    return record_paths(network({1, part, .5}, {{-1, 0, 1}, {0, 1, part}, {0, 2, .5}, {1, -1, part}, {2, -1, .5}}))
        .seconds({1, 6, 4});
  };
  EXPECT_NEAR(choice(.5), 6, 1e-12);
  EXPECT_NEAR(choice(.51), choice(.5), .05);
}

TEST(record_paths, a_loop_repeats_what_is_in_it) {
  // Three of four invocations go back.
  const record_paths paths(network({1, 4, 1}, {{-1, 0, 1}, {0, 1, 1}, {1, 1, 3}, {1, 2, 1}, {2, -1, 1}}));
  EXPECT_DOUBLE_EQ(paths.seconds({1, 2, 3}), 1 + 4 * 2 + 3);
}

// The rounds of one record follow each other: each takes as long as all of the loop, however many components it has.
TEST(record_paths, rounds_of_a_loop_are_no_copies) {
  const record_paths paths(network({1, 4, 4, 1}, {{-1, 0, 1}, {0, 1, 1}, {1, 2, 4}, {2, 1, 3}, {2, 3, 1}, {3, -1, 1}}));
  EXPECT_EQ(paths.copies(), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_TRUE(paths.is_additive());
  EXPECT_DOUBLE_EQ(paths.seconds({1, 2, 3, 5}), 1 + 4 * (2 + 3) + 5);
  EXPECT_EQ(paths.weights({1, 2, 3, 5}, slowest_only), (std::vector<double>{1, 4, 4, 1}));
}

// Constant times of 2 + 3 s a round, and a further round with probability 3/4: a geometric number of rounds.
TEST(record_paths, the_number_of_rounds_of_a_loop_is_random) {
  const record_paths paths(network({4, 4}, {{-1, 0, 1}, {0, 1, 4}, {1, 0, 3}, {1, -1, 1}}));
  const random_time all = paths.moments({{.mean = 2}, {.mean = 3}}, {0, 0});
  EXPECT_DOUBLE_EQ(all.mean, 4 * 5);
  EXPECT_NEAR(all.variance, 12 * 25, 1e-9);    // q/(1 - q)^2 rounds squared
  EXPECT_NEAR(all.third, 12 * 7 * 125, 1e-9);  // q (1 + q)/(1 - q)^3 rounds cubed
}

TEST(record_paths, the_weights_are_how_fast_the_seconds_grow) {
  const system_view view =
      network({1, 1, .5, 1.5}, {{-1, 0, 1}, {0, 1, 1}, {0, 2, .5}, {1, 3, 1}, {2, 3, .5}, {3, -1, 1.5}});
  const system_view batches =
      network({1, 20, 8, 12, 1}, {{-1, 0, 1}, {0, 1, 20}, {1, 2, 8}, {1, 3, 12}, {2, 4, 8}, {3, 4, 12}, {4, -1, 1}});
  std::mt19937 random(2);
  for (int trial = 0; trial < 400; ++trial) {
    const record_paths paths(trial % 2 == 0 ? view : batches);
    const std::size_t n = paths.copies().size();
    std::vector<double> sojourn;
    for (std::size_t i = 0; i < n; ++i) sojourn.push_back(std::uniform_real_distribution<double>(1, 9)(random));
    const std::vector<double> weights = paths.weights(sojourn, slowest_only);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> more = sojourn;
      more[i] += 1e-6;
      ASSERT_NEAR((paths.seconds(more) - paths.seconds(sojourn)) / 1e-6, weights[i], 1e-6);
    }
  }
}

}  // namespace
}  // namespace weir
