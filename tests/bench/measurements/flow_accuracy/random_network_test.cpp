#include "bench/measurements/flow_accuracy/random_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weir::flow_accuracy {
namespace {

struct degrees {
  std::vector<int> in, out;
};
degrees degrees_of(const random_network& network) {
  degrees d{std::vector<int>(network.components.size()), std::vector<int>(network.components.size())};
  for (const random_stream& s : network.streams) ++d.out[s.from], ++d.in[s.to];
  return d;
}

// Streams lead to higher numbers, so there is no cycle. Each component but the first has a stream in, and each but the
// last has a stream out. So all of them lie between the source and the sink.
TEST(random_network, has_one_source_one_sink_no_cycle_and_degrees_up_to_four) {
  for (std::size_t components = 2; components <= 90; ++components) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const random_network network = draw_network(components, seed);
      ASSERT_EQ(network.components.size(), components);
      std::set<std::pair<std::size_t, std::size_t>> joined;
      for (const random_stream& s : network.streams) {
        ASSERT_LT(s.from, s.to);
        ASSERT_LT(s.to, components);
        ASSERT_TRUE(joined.emplace(s.from, s.to).second);
      }
      const degrees d = degrees_of(network);
      for (std::size_t i = 0; i < components; ++i) {
        ASSERT_EQ(d.in[i] == 0, i == 0) << i << " of " << components << ", seed " << seed;
        ASSERT_EQ(d.out[i] == 0, i == components - 1) << i << " of " << components << ", seed " << seed;
        ASSERT_LE(d.in[i], 4);
        ASSERT_LE(d.out[i], 4);
      }
    }
  }
}

TEST(random_network, times_and_sizes_fill_their_ranges) {
  double least = 1, most = 0;
  std::set<int> sizes;
  for (const random_network& network : draw_networks(1)) {
    for (const random_component& c : network.components) {
      least = std::min(least, c.mean_seconds);
      most = std::max(most, c.mean_seconds);
    }
    for (const random_stream& s : network.streams) sizes.insert(s.message_bytes);
  }
  EXPECT_GE(least, 18e-6);
  EXPECT_LT(least, 18.1e-6);
  EXPECT_LE(most, 22e-6);
  EXPECT_GT(most, 21.9e-6);
  EXPECT_EQ(sizes.size(), 64u);
  EXPECT_EQ(*sizes.begin(), 1);
  EXPECT_EQ(*sizes.rbegin(), 64);
}

TEST(random_network, the_forty_have_3_to_82_components_and_every_degree) {
  const std::vector<random_network> all = draw_networks(1);
  ASSERT_EQ(all.size(), 40u);
  EXPECT_EQ(all.front().components.size(), 3u);
  EXPECT_EQ(all.back().components.size(), 82u);
  std::set<int> in, out;
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GT(all[i].components.size(), all[i - 1].components.size());
    const degrees d = degrees_of(all[i]);
    in.insert(d.in.begin(), d.in.end());
    out.insert(d.out.begin(), d.out.end());
  }
  EXPECT_EQ(in, (std::set<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(out, in);
}

TEST(random_network, is_the_same_for_a_seed_and_another_for_another) {
  const auto ways = [](std::uint64_t seed) {
    std::vector<std::size_t> all;
    for (const random_stream& s : draw_network(40, seed).streams) {
      all.insert(all.end(), {s.from, s.to, static_cast<std::size_t>(s.message_bytes)});
    }
    return all;
  };
  EXPECT_EQ(ways(1), ways(1));
  EXPECT_NE(ways(1), ways(2));
}

TEST(random_network, of_less_than_a_source_and_a_sink_there_is_none) {
  EXPECT_THROW(draw_network(1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace weir::flow_accuracy
