#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/weir.hpp>

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
      const bytes input = drawn_input(kind, size, 7);
      const bytes archive = by_loop(input, what);
      EXPECT_EQ(restored(archive, what), input);
      EXPECT_EQ(by_threads(input, what, 3), archive);
      EXPECT_EQ(by_pipeline(input, what, 2), archive);
      EXPECT_EQ(by_weir(input, what, adaptive{objective::throughput}), archive);
      EXPECT_EQ(by_weir(input, what, equal_shares{}), archive);
    }
}

TEST(field_dedup, chunks_that_were_seen_before_are_left_out) {
  const job finds{true, "zstd", 128 * 1024}, packs{false, "zstd", 128 * 1024};
  const bytes repeated = drawn_input("repeated", 4 * size, 3), text = drawn_input("text", 4 * size, 3);
  EXPECT_LT(by_loop(repeated, finds).size() * 5, by_loop(repeated, packs).size() * 4);
  EXPECT_GT(by_loop(text, finds).size(), by_loop(text, packs).size()) << "nothing is repeated, and chunks have headers";
}

TEST(field_dedup, the_borders_of_chunks_follow_the_content_not_the_position) {
  bytes input = drawn_input("random", 2'000'000, 5);
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
  const bytes input = drawn_input("phases", size, 2);
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
