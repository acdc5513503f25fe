#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/paper/claims.hpp"
#include "bench/paper/cores48.hpp"
#include "bench/paper/kernel_result.hpp"
#include "bench/paper/offline.hpp"
#include "bench/paper/over_time.hpp"

namespace weir::paper {
namespace {

double law(double x, int cores) { return (1e-9 * x * x * x + 1e-3) * (0.9 / cores + 0.1); }

// Every point of a small grid, once per pass.
std::vector<timed_row> grid(int passes) {
  std::vector<timed_row> rows;
  for (int pass = 0; pass < passes; ++pass)
    for (int x = 100; x <= 600; x += 100)
      for (const int p : {1, 2, 4}) rows.push_back({static_cast<double>(x), law(x, p), p});
  return rows;
}

std::size_t at(way who) { return static_cast<std::size_t>(who); }

TEST(paper, passes_count_how_often_a_point_came_before) {
  const std::vector<timed_row> rows{{1, 1, 1}, {1, 1, 2}, {1, 1, 1}, {2, 1, 1}, {1, 1, 1}, {1, 1, 2}};
  EXPECT_EQ(passes_of(rows), (std::vector<int>{0, 0, 1, 0, 2, 1}));
}

TEST(paper, every_row_is_either_learnt_or_held_out) {
  const halves parts = split(grid(5));
  EXPECT_EQ(parts.learnt.size(), 3 * 18u);
  EXPECT_EQ(parts.held_out.size(), 2 * 18u);
}

TEST(paper, means_are_of_each_point) {
  const auto all = means({{7, 2, 2}, {7, 1, 1}, {7, 4, 2}, {3, 5, 1}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].x, 3);
  EXPECT_EQ(all[1].seconds, 1);
  EXPECT_EQ(all[2].cores, 2);
  EXPECT_EQ(all[2].seconds, 3);
}

TEST(paper, without_noise_every_point_shows_the_alpha_of_the_law_and_nothing_is_mispredicted) {
  for (const char* how : aggregations) {
    const auto model = fitted(how, grid(2));
    EXPECT_NEAR(model->describe().alpha, 0.9, 1e-9) << how;
    const auto each = alphas(*model, means(grid(2)));
    EXPECT_EQ(each.size(), 12u);
    for (const point_alpha& p : each) EXPECT_NEAR(p.alpha, 0.9, 1e-9) << p.x << ' ' << p.cores;
    for (const misprediction& m : mispredictions(*model, grid(1))) EXPECT_LT(m.percent, 1e-6) << m.x << ' ' << m.cores;
  }
}

TEST(paper, mispredictions_are_relative_to_what_was_measured) {
  const auto model = fitted("extended-amdahl", grid(2));
  const double expected = law(300, 2);
  const auto errors = mispredictions(*model, {{300, 2 * expected, 2}});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NEAR(errors[0].percent, 50, 1e-6);
  EXPECT_NEAR(errors[0].seconds, expected, 1e-9);
}

TEST(paper, one_bad_point_at_small_x_moves_the_means_of_alpha_and_not_the_highest_point) {
  std::vector<timed_row> rows = grid(1);
  for (timed_row& row : rows)
    if (row.x == 100 && row.cores > 1) row.seconds *= 2;
  EXPECT_NEAR(fitted("extended-amdahl", rows)->describe().alpha, 0.9, 1e-9);
  const double mean = fitted("extended-amdahl:mean", rows)->describe().alpha;
  const double clamped = fitted("extended-amdahl:clamped-mean", rows)->describe().alpha;
  EXPECT_LT(mean, 0.8);
  EXPECT_GT(clamped, mean);
  EXPECT_LT(clamped, 0.9);
}

TEST(paper, first_fits_say_nothing_in_the_first_pass_and_never_change_after_it) {
  std::vector<timed_row> rows = grid(4);
  const foretold before = foretell(rows);
  EXPECT_EQ(before.first_pass, 18u);
  for (std::size_t i = 2 * 18; i < rows.size(); ++i) rows[i].seconds *= 3;
  const foretold after = foretell(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const way who : {way::first_fit, way::first_fit_small}) {
      if (i < 18) {
        EXPECT_TRUE(std::isnan(after.seconds[i][at(who)])) << i;
      } else {
        EXPECT_EQ(before.seconds[i][at(who)], after.seconds[i][at(who)]) << i;
      }
    }
  EXPECT_NE(before.seconds.back()[at(way::incremental)], after.seconds.back()[at(way::incremental)]);
  EXPECT_NE(before.seconds.back()[at(way::weir)], after.seconds.back()[at(way::weir)]);
}

TEST(paper, each_is_foretold_before_it_is_learnt) {
  std::vector<timed_row> rows = grid(2);
  const foretold before = foretell(rows);
  rows.back().seconds *= 100;
  const foretold after = foretell(rows);
  for (std::size_t w = 0; w < ways; ++w) EXPECT_EQ(before.seconds.back()[w], after.seconds.back()[w]) << way_names[w];
}

TEST(paper, stretches_cover_the_stream_once) {
  const std::vector<timed_row> rows = grid(3);
  const auto all = stretches(rows, foretell(rows), 7);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all.back().end, rows.size());
  EXPECT_TRUE(std::isnan(all.front().percent[at(way::first_fit)]));
  EXPECT_LT(all.back().percent[at(way::first_fit)], 1e-6);
  EXPECT_EQ(later_errors(rows, foretell(rows), way::weir, 600).size(), 2 * 3u);
}

TEST(paper, the_drawn_machine_has_each_point_in_each_pass_and_the_same_from_the_same_seed) {
  const auto cost = cores48::cost("blocked32");
  const auto rows = cores48::observe(cost, cores48::noise, 3);
  const std::size_t points = cores48::sizes().size() * cores48::cores().size();
  ASSERT_EQ(rows.size(), points * cores48::passes);
  for (int pass = 0; pass < cores48::passes; ++pass) {
    std::set<std::pair<double, int>> met;
    for (std::size_t i = 0; i < points; ++i) {
      const timed_row& row = rows[static_cast<std::size_t>(pass) * points + i];
      met.insert({row.x, row.cores});
      EXPECT_GT(row.seconds, 0);
    }
    EXPECT_EQ(met.size(), points);
  }
  const auto again = cores48::observe(cost, cores48::noise, 3), other = cores48::observe(cost, cores48::noise, 4);
  EXPECT_EQ(rows.back().seconds, again.back().seconds);
  EXPECT_NE(rows.back().seconds, other.back().seconds);
}

TEST(paper, without_noise_the_offline_model_gives_the_drawn_truth_back) {
  const auto truth = cores48::cost("naive");
  const kernel_result result = evaluate("naive", cores48::observe(truth, 0, 1));
  EXPECT_NEAR(result.models[highest]->describe().alpha, truth.alpha, 1e-9);
  ASSERT_EQ(result.errors.size(), 224u);
  for (const misprediction& m : result.errors) EXPECT_LT(m.percent, 1e-3) << m.x << ' ' << m.cores;
}

TEST(paper, caches_make_the_blocked_truth_leave_the_polynomial) {
  const kernel_result result = evaluate("blocked32", cores48::observe(cores48::cost("blocked32"), 0, 1));
  double worst = 0;
  for (const misprediction& m : result.errors)
    if (m.x > 500) worst = std::max(worst, m.percent);
  EXPECT_GT(worst, 5);
}

TEST(paper, claims_have_a_table_each_with_a_row_for_each_kernel) {
  std::vector<kernel_result> results;
  results.push_back(evaluate("naive", grid(4)));
  results.push_back(evaluate("blocked16", grid(4)));
  const std::string text = claims_of(results);
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("\n|---"), 5);
  EXPECT_EQ(count("\n| naive |"), 4);
  EXPECT_EQ(count("\n| naive, "), 2);
  EXPECT_EQ(count("\n| blocked16"), 6);
}

}  // namespace
}  // namespace weir::paper
