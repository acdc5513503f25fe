#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <weir/weir.hpp>

#include "bench/field/common/arrivals.hpp"
#include "bench/field/ferret/ways.hpp"

namespace weir::field_bench::ferret {
namespace {

TEST(field_ferret, every_way_ranks_the_same_entries_and_measures_each_query) {
  const picture_index in(500, 3);
  const workload what{25, 5, arrivals("wave", 25, 5000)};
  const std::uint64_t right = by_loop(what, in).sum;
  EXPECT_NE(right, by_loop({25, 6, {}}, in).sum) << "other pictures have other neighbours";
  for (const outcome& seen : {by_weir(what, in, adaptive{objective::throughput}), by_weir(what, in, equal_shares{}),
#ifdef WEIR_HAS_TASKFLOW
                              by_taskflow(what, in, 2),
#endif
#ifdef WEIR_HAS_FASTFLOW
                              by_fastflow(what, in, 2),
#endif
                              by_pipeline(what, in, 2), by_threads(what, in, 3)}) {
    EXPECT_EQ(seen.sum, right);
    EXPECT_EQ(seen.times.latencies.size(), 25U);
    EXPECT_GT(*std::min_element(seen.times.latencies.begin(), seen.times.latencies.end()), 0);
  }
}

TEST(field_ferret, segmentation_gives_each_pixel_one_of_the_regions_and_more_discs_more_regions) {
  std::size_t least = 1000, most = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const held_query q = drawn(i, 1);
    segment(*q);
    EXPECT_TRUE(std::all_of(q->labels.begin(), q->labels.end(), [&](int l) { return l >= 0 && l < q->regions; }));
    least = std::min<std::size_t>(least, q->regions), most = std::max<std::size_t>(most, q->regions);
  }
  EXPECT_GE(most, 3 * least) << "costs of queries differ by their regions";
}

TEST(field_ferret, the_best_candidate_is_ranked_first) {
  const picture_index in(2000, 9);
  held_query q = drawn(1, 1);
  segment(*q);
  extract(*q);
  look_up(*q, in);
  rank(*q, in);
  ASSERT_EQ(q->ranked.size(), 10U);
  const auto total = [&](std::uint32_t entry) {
    float sum = 0;
    for (const auto& f : q->features) sum += std::sqrt(in.distance(f, entry));
    return sum;
  };
  for (std::size_t i = 1; i < q->ranked.size(); ++i) EXPECT_LE(total(q->ranked[i - 1]), total(q->ranked[i]));
  for (const std::uint32_t entry : q->candidates) EXPECT_LE(total(q->ranked[0]), total(entry));
}

TEST(field_ferret, every_pattern_has_its_count_its_mean_rate_and_its_shape) {
  for (const std::string& pattern : pattern_names()) {
    SCOPED_TRACE(pattern);
    const std::vector<double> times = arrivals(pattern, 4000, 100);
    ASSERT_EQ(times.size(), 4000U);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_NEAR(times.back(), 40, 0.5);
  }
  const auto before = [](const std::string& pattern, double seconds) {
    const std::vector<double> times = arrivals(pattern, 4000, 100);
    return static_cast<double>(std::count_if(times.begin(), times.end(), [&](double t) { return t < seconds; }));
  };
  EXPECT_NEAR(before("constant", 20), 2000, 5);
  EXPECT_NEAR(before("increasing", 20), 1500, 5);
  EXPECT_NEAR(before("decreasing", 20), 2500, 5);
  EXPECT_NEAR(before("binary", 5), 250, 5);
  EXPECT_NEAR(before("wave", 5), 659, 5);  // 500 + 0.5 * 1000/pi
  EXPECT_NEAR(before("spike", 18), 1440, 5);
  EXPECT_NEAR(before("spike", 22), 2560, 5);
}

}  // namespace
}  // namespace weir::field_bench::ferret
