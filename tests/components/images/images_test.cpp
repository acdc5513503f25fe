#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "components/images/blur.hpp"
#include "components/images/jpeg_codec.hpp"
#include "components/images/shrink.hpp"
#include "components/jpeg/jpeg_file.hpp"
#include "tests/support/refusal.hpp"

namespace components {
namespace {

using bytes = std::vector<std::uint8_t>;

rgb_image filled(int width, int height, std::uint8_t level) {
  return {width, height, bytes(std::size_t{3} * static_cast<std::size_t>(width * height), level)};
}

bool same(const rgb_image& a, const rgb_image& b) {
  return a.width == b.width && a.height == b.height && a.samples == b.samples;
}

std::string refusal(const bytes& file) {
  return weir::testing::refusal<std::runtime_error>([&] { decoded_jpeg(file); });
}

TEST(a_jpeg_file, is_the_picture_again_when_decoded) {
  for (const auto& [width, height] : {std::pair{1, 1}, {17, 33}, {200, 150}}) {
    const rgb_image picture = filled(width, height, 200);
    const rgb_image again = decoded_jpeg(encoded_jpeg(picture, 100));
    EXPECT_EQ(again.width, width);
    EXPECT_EQ(again.height, height);
    EXPECT_TRUE(
        std::all_of(again.samples.begin(), again.samples.end(), [](int level) { return std::abs(level - 200) <= 1; }));
  }
  // An image of another encoder, with a scan a component.
  const rgb_image drawn = random_image(120, 90, 1);
  const rgb_image again = decoded_jpeg(encode_jpeg(drawn, 100));
  ASSERT_EQ(again.samples.size(), drawn.samples.size());
  for (std::size_t i = 0; i < drawn.samples.size(); ++i) ASSERT_NEAR(again.samples[i], drawn.samples[i], 4) << i;
}

TEST(a_jpeg_file, that_ends_early_is_refused_wherever_it_ends) {
  const bytes whole = encoded_jpeg(random_image(40, 30, 1), 75);
  EXPECT_EQ(refusal(whole), weir::testing::nothing_refused);
  EXPECT_EQ(refusal({}), "the file is empty");
  for (std::size_t length = 1; length + 2 < whole.size(); ++length)  // behind that only the end marker is missing
    EXPECT_NE(refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}),
              weir::testing::nothing_refused)
        << length;
}

// libjpeg repairs most damage by guessing. Here each byte is damaged in turn: whatever the decoder says, it must say it
// in words or give a picture as large as its header says.
TEST(a_jpeg_file, with_one_wrong_byte_is_refused_or_still_a_picture) {
  const bytes whole = encoded_jpeg(random_image(40, 30, 1), 75);
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    bytes damaged = whole;
    damaged[at] ^= 0xff;
    try {
      const rgb_image picture = decoded_jpeg(damaged);
      EXPECT_EQ(picture.samples.size(), static_cast<std::size_t>(picture.width) * picture.height * 3);
    } catch (const std::runtime_error& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(a_jpeg_file, says_what_it_is_refused_for) {
  EXPECT_EQ(refusal({'P', 'N', 'G'}).find("Not a JPEG file"), 0u);
  bytes huge = encoded_jpeg(filled(8, 8, 0), 75);
  const std::uint8_t frame[] = {0xff, 0xc0};
  const auto size = std::search(huge.begin(), huge.end(), std::begin(frame), std::end(frame)) + 5;
  std::fill(size, size + 4, std::uint8_t{0x7f});
  EXPECT_EQ(refusal(huge), "a picture of 32639x32639 is too large: expected at most 100000000 pixels");
}

TEST(encoding, names_what_does_not_fit) {
  EXPECT_THROW(encoded_jpeg(filled(8, 8, 0), 0), std::invalid_argument);
  EXPECT_THROW(encoded_jpeg(filled(8, 8, 0), 101), std::invalid_argument);
  EXPECT_THROW(encoded_jpeg({0, 8, {}}, 75), std::invalid_argument);
  EXPECT_THROW(encoded_jpeg({8, 8, bytes(191)}, 75), std::invalid_argument);
  EXPECT_THROW(encoded_jpeg({65501, 1, bytes(3 * 65501)}, 75), std::invalid_argument);
}

// Noise at quality 100 takes most bytes.
TEST(encoding, has_room_for_the_largest_files) {
  std::uint32_t state = 1;
  for (const auto& [width, height] : {std::pair{1, 1}, {16, 16}, {17, 1}, {250, 123}}) {
    rgb_image noise = filled(width, height, 0);
    for (std::uint8_t& level : noise.samples) level = (state = state * 1664525 + 1013904223) >> 31 ? 255 : 0;
    const rgb_image again = decoded_jpeg(encoded_jpeg(noise, 100));
    EXPECT_EQ(again.samples.size(), noise.samples.size());
  }
}

TEST(a_blur, of_one_colour_is_that_colour) {
  for (const int radius : {0, 1, 4, 12})
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 50}, {50, 3}})
      for (const int level : {0, 77, 255}) {
        const rgb_image plain = filled(width, height, static_cast<std::uint8_t>(level));
        EXPECT_TRUE(same(blurred(plain, radius), plain)) << radius << " " << width << "x" << height;
      }
}

// 1 2 1 in each direction, of a point of 160 in red: 160 / 16 times 1 2 1, 2 4 2, 1 2 1.
TEST(a_blur, spreads_a_point_by_binomial_weights) {
  rgb_image point = filled(5, 5, 0);
  point.samples[3 * 12] = 160;
  const rgb_image spread = blurred(point, 1);
  const int expected[5] = {0, 1, 2, 1, 0};
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) {
      EXPECT_EQ(spread.samples[static_cast<std::size_t>(3 * (5 * y + x))], 10 * expected[x] * expected[y]);
      EXPECT_EQ(spread.samples[static_cast<std::size_t>(3 * (5 * y + x) + 1)], 0);
    }
}

TEST(a_blur, is_the_same_on_any_number_of_cores) {
  const rgb_image drawn = random_image(97, 211, 3);
  const auto on = [&](int cores) { return tbb::task_arena(cores).execute([&] { return blurred(drawn, 6); }); };
  const rgb_image once = on(1);
  EXPECT_FALSE(same(once, drawn));
  for (const int cores : {2, 3, 7}) EXPECT_TRUE(same(on(cores), once)) << cores;
}

TEST(a_blur, refuses_what_it_cannot_do) {
  EXPECT_THROW(blurred(filled(2, 2, 0), -1), std::invalid_argument);
  EXPECT_THROW(blurred(filled(2, 2, 0), 13), std::invalid_argument);
  EXPECT_THROW(blurred({2, 2, bytes(11)}, 1), std::invalid_argument);
  EXPECT_TRUE(blurred({0, 0, {}}, 1).samples.empty());
}

TEST(a_smaller_copy, has_the_mean_of_each_square_and_of_what_is_there_at_the_edges) {
  const rgb_image picture{
      3, 3, {0, 0, 0, 10, 0, 0, 100, 0, 0, 20, 0, 0, 32, 0, 0, 101, 0, 0, 7, 1, 0, 8, 2, 0, 9, 3, 0}};
  const rgb_image half = shrunk(picture, 2);
  EXPECT_EQ(half.width, 2);
  EXPECT_EQ(half.height, 2);
  EXPECT_EQ(half.samples, (bytes{16, 0, 0, 101, 0, 0, 8, 2, 0, 9, 3, 0}));  // 62/4, 201/2, 15/2 and 3/2: up
  EXPECT_TRUE(same(shrunk(picture, 1), picture));
  EXPECT_EQ(shrunk(picture, 1024).samples, (bytes{32, 1, 0}));  // 287/9, 6/9
  EXPECT_THROW(shrunk(picture, 0), std::invalid_argument);
  EXPECT_THROW(shrunk(picture, 1025), std::invalid_argument);
  EXPECT_THROW(shrunk({2, 2, bytes(11)}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace components
