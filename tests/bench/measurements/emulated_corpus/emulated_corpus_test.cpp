#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "bench/measurements/emulated_corpus/comparison.hpp"
#include "bench/measurements/emulated_corpus/documents.hpp"
#include "bench/measurements/emulated_corpus/emulated_run.hpp"
#include "bench/measurements/emulated_corpus/measured_pages.hpp"

namespace weir::emulated_corpus {
namespace {

trial trial_of(std::size_t pages) {
  trial t;
  t.documents = std::make_shared<const std::vector<document>>(draw_documents(pages, 1));
  t.machine = "package:4 core:12 pu:1";
  t.how.scale = 0.05;
  t.most_seconds = 60;
  return t;
}

std::vector<policy> policies() {
  return {adaptive{objective::throughput}, adaptive{objective::latency_at(100)}, equal_shares{},
          fixed_shares(std::vector<fixed_share>{}), fixed_shares{{"read", 40, 40}}};
}

// A third of the pages are mostly scans, the next nearly all digital, the last both. The same seed draws the same.
TEST(emulated_documents, come_in_three_phases_that_follow_from_the_seed) {
  const std::vector<document> all = draw_documents(30'000, 1), again = draw_documents(30'000, 1);
  ASSERT_EQ(all.size(), again.size());
  std::vector<double> pages(3), scanned(3);
  std::size_t before = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const document& d = all[i];
    ASSERT_EQ(d.pages, again[i].pages);
    ASSERT_FALSE(d.pages.empty());
    const std::size_t phase = std::min<std::size_t>(2, before / 10'000);
    before += d.pages.size();
    pages[phase] += static_cast<double>(d.pages.size());
    if (!d.is_scanned()) continue;
    ASSERT_LE(d.pages.size(), d.kind == document::form::picture ? 1u : 2u);
    scanned[phase] += static_cast<double>(d.pages.size());
    for (const std::int64_t page : d.pages) ASSERT_LT(static_cast<std::size_t>(page), measured_pages().size());
  }
  EXPECT_EQ(before, pages_in(all));
  EXPECT_NEAR(scanned[0] / pages[0], 0.60, 0.05);
  EXPECT_NEAR(scanned[1] / pages[1], 0.05, 0.02);
  EXPECT_NEAR(scanned[2] / pages[2], 0.25, 0.05);
}

// Whatever has which cores, each page comes through once, in the order of its document and of the documents.
TEST(emulated_corpus, every_page_comes_through_once_and_in_order_under_every_policy) {
  for (const double rate : {0.0, 500.0})
    for (const policy& rule : policies()) {
      trial t = trial_of(100);
      t.rate = rate;
      const outcome o = run_once(t, "", rule);
      EXPECT_TRUE(o.right) << o.report.policy;
      EXPECT_FALSE(o.stopped) << o.report.policy;
      EXPECT_EQ(o.pages, pages_in(*t.documents));
      EXPECT_GT(o.p50, 0);
      EXPECT_GE(o.p99, o.p50);
    }
}

// A run that takes too long is stopped and says so, and its results until then are right.
TEST(emulated_corpus, a_run_that_takes_too_long_is_stopped_and_says_so) {
  trial t = trial_of(100'000);
  t.most_seconds = 0.2;
  const outcome o = run_once(t, "equal", equal_shares{});
  EXPECT_TRUE(o.stopped);
  EXPECT_TRUE(o.right);
  EXPECT_LT(o.pages, pages_in(*t.documents));
}

outcome made(const std::string& policy, int round, double seconds, double mean) {
  outcome o;
  o.policy = policy;
  o.round = round;
  o.seconds = seconds;
  o.pages = 100;
  o.mean = mean;
  return o;
}

// The best fixed shares are those with the best median; others are compared with them within each round.
TEST(emulated_corpus, the_best_fixed_shares_are_chosen_by_median_and_compared_within_a_round) {
  comparison all{0, 100, {}};
  for (int round = 1; round <= 3; ++round) {
    all.runs.push_back(made("adaptive throughput", round, 2.0 * round, 1));
    all.runs.push_back(made("fixed:read=1", round, round == 1 ? 0.5 : 3.0 * round, 1));
    all.runs.push_back(made("fixed:read=2", round, 1.0 * round, 1));
  }
  const std::vector<row> rows = rows_of(all);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[2].is_best_fixed);
  EXPECT_FALSE(rows[1].is_best_fixed);
  EXPECT_DOUBLE_EQ(rows[0].to_best_fixed.median, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 4);
  EXPECT_NE(to_text(all).find("best fixed: read=2"), std::string::npos);
}

// Where documents arrive at a rate, seconds say nothing: latency is compared.
TEST(emulated_corpus, at_a_rate_latencies_are_compared) {
  comparison all{
      100, 100, {made("shared", 1, 1, 0.4), made("fixed:read=1", 1, 1, 0.2), made("fixed:read=2", 1, 1, 0.3)}};
  const std::vector<row> rows = rows_of(all);
  EXPECT_TRUE(rows[1].is_best_fixed);
  EXPECT_DOUBLE_EQ(rows[0].to_best_fixed.median, 0.5);
}

// A run that was stopped before any page came through has no latency: JSON has null.
TEST(emulated_corpus, json_has_null_for_what_is_not_known) {
  comparison all{0, 100, {made("shared", 1, 1, std::numeric_limits<double>::quiet_NaN())}};
  const auto json = to_json(all);
  EXPECT_TRUE(json["runs"][0]["latency_seconds"]["mean"].is_null());
  EXPECT_TRUE(json["policies"][0]["over_best_fixed"]["median"].is_null());
}

}  // namespace
}  // namespace weir::emulated_corpus
