#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "bench/field/common/arrivals.hpp"
#include "bench/field/common/arriving.hpp"
#include "bench/field/common/fixed_search.hpp"
#include "bench/field/dedup/chunker.hpp"
#include "bench/field/dedup/inputs.hpp"
#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {
namespace {

constexpr std::size_t size = 600'000;

std::set<digest> sums_of(const bytes& input) {
  std::set<digest> sums;
  const job whole{true, "zstd", input.size()};
  const held_block b = nth_block(input, whole, 0);
  cut(*b, whole);
  hash(*b, whole);
  for (const chunk& c : b->chunks) sums.insert(c.sum);
  return sums;
}

TEST(field_dedup, every_way_gives_the_same_archive_which_decompresses_to_the_input) {
  for (const std::string& kind : input_kinds())
    for (const job& what : {job{true, "mixed", 128 * 1024}, job{true, "bzip2", 50'000}, job{true, "zstd", 128 * 1024},
                            job{false, "bzip2", 100'000}, job{false, "zstd", 100'000}}) {
      SCOPED_TRACE(kind + " by " + what.compressor);
      const bytes input = random_input(kind, size, 7);
      const bytes archive = by_loop(input, what);
      EXPECT_EQ(restored(archive, what), input);
      EXPECT_EQ(by_threads(input, what, 3), archive);
      EXPECT_EQ(by_pipeline(input, what, 2), archive);
#ifdef WEIR_HAS_TASKFLOW
      EXPECT_EQ(by_taskflow(input, what, 2), archive);
#endif
#ifdef WEIR_HAS_FASTFLOW
      EXPECT_EQ(by_fastflow(input, what, 2), archive);
#endif
      EXPECT_EQ(by_weir(input, what, adaptive{objective::throughput}), archive);
      EXPECT_EQ(by_weir(input, what, equal_shares{}), archive);
    }
}

TEST(field_dedup, blocks_that_arrive_give_the_same_archive_and_each_is_measured_from_its_arrival) {
  const bytes input = random_input("repeated", size, 7);
  const job what{true, "mixed", 50'000};
  const bytes archive = by_loop(input, what);
  const std::vector<double> times = arrivals("increasing", 12, 2000);
  for (const auto& archive_of : std::vector<std::function<bytes(const job&)>>{
           [&](const job& w) { return by_weir(input, w, adaptive{objective::throughput}); },
           [&](const job& w) { return by_pipeline(input, w, 2); },
#ifdef WEIR_HAS_TASKFLOW
           [&](const job& w) { return by_taskflow(input, w, 2); },
#endif
#ifdef WEIR_HAS_FASTFLOW
           [&](const job& w) { return by_fastflow(input, w, 2); },
#endif
           [&](const job& w) { return by_threads(input, w, 3); }}) {
    arrival_clock clock(12, times);
    job timed = what;
    timed.clock = &clock;
    EXPECT_EQ(archive_of(timed), archive);
    const run_times seen = clock.end();
    EXPECT_GT(seen.seconds, times.back()) << "the last block is compressed after it arrived";
    EXPECT_GT(*std::min_element(seen.latencies.begin(), seen.latencies.end()), 0)
        << "no block is through before it arrives";
  }
}

TEST(field_arrivals, every_way_handles_the_same_items_in_each_round_and_the_rate_follows_the_first) {
  std::map<std::string, std::vector<std::size_t>> items;
  const auto way = [&](const std::string& name) {
    return arrival_way{name, [&items, name](std::size_t count, const std::vector<double>& times) {
                         items[name].push_back(count);
                         const double seconds = times.empty() ? static_cast<double>(count) / 100 : times.back();
                         return run_times{seconds, std::vector<double>(count, 0.002)};
                       }};
  };
  const arrival_settings asked{{"constant", "spike"}, {50, 110}, 2};
  const auto all = measured_arrivals({way("first"), way("second")}, asked, 3, 40, false);
  ASSERT_EQ(all.size(), 4U) << "two patterns by two loads";
  for (const auto& one : all) {
    const double percent = one["load_percent"];
    for (const double rate : one["rates"]) EXPECT_NEAR(rate, percent, 1e-9) << "the first handles 100 items a second";
    for (const auto& row : one["ways"]) {
      EXPECT_EQ(row["over_rate"].size(), 3U);
      for (const double p99 : row["p99_ms"]) EXPECT_NEAR(p99, 2, 1e-9);
    }
  }
  EXPECT_EQ(items["second"], (std::vector<std::size_t>{40, 40, 40, 88, 88, 88, 40, 40, 40, 88, 88, 88}));
  EXPECT_EQ(items["first"].size(), 24U) << "and once more in each round, for the rate";
}

TEST(field_dedup, chunks_that_were_seen_before_are_left_out) {
  const job finds{true, "zstd", 128 * 1024}, packs{false, "zstd", 128 * 1024};
  const bytes repeated = random_input("repeated", 4 * size, 3), text = random_input("text", 4 * size, 3);
  EXPECT_LT(by_loop(repeated, finds).size() * 5, by_loop(repeated, packs).size() * 4);
  EXPECT_GT(by_loop(text, finds).size(), by_loop(text, packs).size()) << "nothing is repeated, and chunks have headers";
}

TEST(field_dedup, the_borders_of_chunks_follow_the_content_not_the_position) {
  bytes input = random_input("random", 2'000'000, 5);
  const std::set<digest> before = sums_of(input);
  input.insert(input.begin() + 1000, {1, 2, 3});
  std::size_t same = 0;
  for (const digest& d : sums_of(input)) same += before.count(d);
  EXPECT_GE(same + 4, before.size()) << "but for the chunks around the insertion";
  EXPECT_GT(before.size(), 60U);
}

TEST(field_dedup, the_lengths_of_chunks_keep_their_bounds_and_cover_the_input) {
  for (const std::size_t count : {0, 1, 4095, 4096, 70'000, 1'000'000}) {
    const bytes input(count, 0);  // no border is found in zeros
    std::size_t sum = 0;
    for (const std::size_t length : chunk_lengths(input)) {
      EXPECT_LE(length, chunk_sizes{}.most);
      sum += length;
    }
    EXPECT_EQ(sum, count);
  }
}

TEST(field_dedup, a_damaged_archive_is_an_error) {
  const bytes input = random_input("phases", size, 2);
  const job what{true, "mixed", 128 * 1024};
  const bytes archive = by_loop(input, what);
  EXPECT_THROW(restored(bytes(archive.begin(), archive.end() - 1), what), std::runtime_error);
  bytes other = archive;
  other[archive.size() / 2] ^= 0x40;
  try {
    EXPECT_NE(restored(other, what), input);
  } catch (const std::runtime_error&) {
  }
}

TEST(field_dedup, the_search_finds_the_division_with_the_highest_rate) {
  const auto rate = [](const std::vector<fixed_share>& shares) {
    double a = 0.5, b = 0.5;
    for (const fixed_share& s : shares) (s.component == "a" ? a : b) = s.cores;
    return std::min(a / 3, b);
  };
  const found_shares found = searched_shares({"a", "b"}, {}, 4, rate);
  EXPECT_EQ(to_string(found.best), "a=3x3, b=1");
  EXPECT_EQ(to_string(searched_shares({"a", "b"}, {"a"}, 4, rate).best), "a=1, b=1") << "a runs one record at a time";
}

}  // namespace
}  // namespace weir::field_bench::dedup
