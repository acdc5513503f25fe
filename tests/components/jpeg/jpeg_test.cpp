#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "components/jpeg/jpeg_colour.hpp"
#include "components/jpeg/jpeg_dct.hpp"
#include "components/jpeg/jpeg_file.hpp"
#include "components/jpeg/jpeg_huffman.hpp"
#include "components/jpeg/jpeg_quantisation.hpp"
#include "components/jpeg/rgb_image.hpp"
#include "tests/components/jpeg/libjpeg.hpp"
#include "tests/support/refusal.hpp"

namespace components {
namespace {

using bytes = std::vector<std::uint8_t>;

// The difference between pictures, in decibels of the largest sample, 255, over all samples of all pictures. At most
// 60: beyond that fewer than one sample in fifteen is off by one, and the rest is chance.
class psnr {
 public:
  void add(const rgb_image& a, const rgb_image& b) {
    ASSERT_EQ(a.width, b.width);
    ASSERT_EQ(a.height, b.height);
    for (std::size_t i = 0; i < a.samples.size(); ++i) {
      squares_ += (a.samples[i] - b.samples[i]) * (a.samples[i] - b.samples[i]);
    }
    samples_ += static_cast<double>(a.samples.size());
  }
  double decibels() const { return std::min(60.0, 10 * std::log10(255.0 * 255.0 * samples_ / squares_)); }

 private:
  double squares_ = 0;
  double samples_ = 0;
};

rgb_image filled(int width, int height, const std::function<int(int col, int row, int colour)>& level) {
  rgb_image image{width, height, {}};
  for (int row = 0; row < height; ++row)
    for (int col = 0; col < width; ++col)
      for (int colour = 0; colour < 3; ++colour)
        image.samples.push_back(static_cast<std::uint8_t>(level(col, row, colour)));
  return image;
}

rgb_image noise(int width, int height, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  return filled(width, height, [&](int, int, int) { return static_cast<int>(generator() >> 56); });
}

void expect_as_near_as_libjpeg(const std::vector<rgb_image>& pictures, int quality) {
  psnr ours, its;
  for (const rgb_image& each : pictures) {
    ours.add(each, decoded(encode_jpeg(each, quality)));
    its.add(each, decoded(encoded_by_libjpeg(each, quality)));
  }
  EXPECT_NEAR(ours.decibels(), its.decibels(), 0.1)
      << pictures[0].width << "x" << pictures[0].height << " at quality " << quality;
}

// Small pictures are compared in large numbers, since in a single small one the rounding of one sample may be more than
// 0.1 dB.
TEST(jpeg, is_as_near_to_pictures_of_every_size_as_libjpeg) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1, 1}, {7, 9}, {8, 8}, {16, 8}, {17, 33}, {1, 100}, {100, 1}, {64, 48}, {255, 257}}) {
    std::vector<rgb_image> pictures;
    for (int i = std::clamp(20000 / (3 * width * height), 1, 3000); i > 0; --i) {
      pictures.push_back(noise(width, height, static_cast<std::uint64_t>(i)));
    }
    for (const int quality : {1, 25, 50, 75, 90, 100}) expect_as_near_as_libjpeg(pictures, quality);
  }
}

// Not included: a picture of equal blocks, where one coefficient halfway between two levels decides everything.
TEST(jpeg, is_as_near_to_all_kinds_of_pictures_as_libjpeg) {
  const auto slope = [](int col, int row, int colour) { return (col * (colour + 1) + row) % 256; };
  rgb_image dots = noise(161, 150, 5);
  for (std::uint8_t& sample : dots.samples) sample = sample < 128 ? 0 : 255;
  for (const int quality : {1, 10, 49, 50, 95, 100}) {
    expect_as_near_as_libjpeg({random_image(255, 257, 3)}, quality);
    expect_as_near_as_libjpeg({random_image(161, 121, 4)}, quality);
    expect_as_near_as_libjpeg({filled(300, 100, slope)}, quality);
    expect_as_near_as_libjpeg({filled(40, 40, [](int, int, int) { return 255; })}, quality);
    expect_as_near_as_libjpeg({dots}, quality);
  }
}

void expect_equal_codes(const JHUFF_TBL& ours, const JHUFF_TBL& its) {
  EXPECT_TRUE(std::equal(ours.bits, ours.bits + 17, its.bits));
  const int values = std::accumulate(its.bits + 1, its.bits + 17, 0);
  EXPECT_TRUE(std::equal(ours.huffval, ours.huffval + values, its.huffval));
}

// The file's tables equal those of libjpeg at this quality.
TEST(jpeg, has_the_tables_of_libjpeg) {
  const rgb_image image = random_image(20, 20, 1);
  for (int quality = 1; quality <= 100; ++quality) {
    reader ours(encode_jpeg(image, quality)), its(encoded_by_libjpeg(image, quality));
    const jpeg_decompress_struct &a = ours.info(), &b = its.info();
    for (int table = 0; table < 2; ++table) {
      const auto *mine = a.quant_tbl_ptrs[table]->quantval, *other = b.quant_tbl_ptrs[table]->quantval;
      ASSERT_TRUE(std::equal(mine, mine + 64, other)) << table << " at quality " << quality;
      expect_equal_codes(*a.dc_huff_tbl_ptrs[table], *b.dc_huff_tbl_ptrs[table]);
      expect_equal_codes(*a.ac_huff_tbl_ptrs[table], *b.ac_huff_tbl_ptrs[table]);
    }
  }
}

// Entropy coding loses nothing: libjpeg reads the coded values, for every number and run of zeros.
TEST(jpeg, coefficients_come_back_as_they_were_coded) {
  constexpr int width = 8 * 40, height = 8 * 30 - 3;
  std::mt19937_64 generator(7);
  const auto plane = [&](int shift) {
    quantised_plane result{width, height, {}};
    result.blocks.resize(block_count(width, height));
    for (auto& block : result.blocks) {
      block[0] = static_cast<std::int16_t>(generator() % 2 ? 1023 : -1024 + static_cast<int>(generator() % 2048));
      for (std::size_t i = generator() % 70 + 1; i < 64; i += 1 + generator() % 40) {
        const int size = static_cast<int>(generator() % 1023) >> (shift + static_cast<int>(generator() % 10));
        block[zigzag()[i]] = static_cast<std::int16_t>(generator() % 2 ? 1 + size : -1 - size);
      }
    }
    return result;
  };
  const std::array<quantised_plane, 3> planes{plane(0), plane(0), plane(6)};
  const quantisation_table ones = scaled_table(annex_k_table(jpeg_tables::luminance), 100);
  const bytes file =
      jpeg_file(entropy_coded(planes[0], jpeg_tables::luminance), entropy_coded(planes[1], jpeg_tables::chrominance),
                entropy_coded(planes[2], jpeg_tables::chrominance), ones, ones);
  reader in(file);
  jvirt_barray_ptr* const arrays = jpeg_read_coefficients(&in.info());
  for (std::size_t component = 0; component < 3; ++component) {
    for (std::size_t b = 0; b < planes[component].blocks.size(); ++b) {
      JBLOCKARRAY const row = in.info().mem->access_virt_barray(
          reinterpret_cast<j_common_ptr>(&in.info()), arrays[component], static_cast<JDIMENSION>(b / 40), 1, FALSE);
      const JCOEF* const block = row[0][b % 40];
      ASSERT_TRUE(std::equal(block, block + 64, planes[component].blocks[b].begin())) << component << ", block " << b;
    }
  }
  jpeg_finish_decompress(&in.info());
}

// T.81, section A.3.3, written literally.
TEST(jpeg, the_transform_is_that_of_the_standard) {
  const sample_plane plane = planes_of(noise(8, 8, 1)).y;
  const coefficient_plane transformed = forward_dct(plane);
  ASSERT_EQ(transformed.blocks.size(), 1u);
  for (std::size_t v = 0; v < 8; ++v) {
    for (std::size_t u = 0; u < 8; ++u) {
      double sum = 0;
      for (std::size_t y = 0; y < 8; ++y) {
        for (std::size_t x = 0; x < 8; ++x) {
          sum += (plane.samples[8 * y + x] - 128) *
                 std::cos((2 * static_cast<double>(x) + 1) * static_cast<double>(u) * std::numbers::pi / 16) *
                 std::cos((2 * static_cast<double>(y) + 1) * static_cast<double>(v) * std::numbers::pi / 16);
        }
      }
      const double scale = (u == 0 ? std::sqrt(0.5) : 1) * (v == 0 ? std::sqrt(0.5) : 1) / 4;
      EXPECT_NEAR(transformed.blocks[0][8 * v + u], scale * sum, 1e-4);
    }
  }
}

TEST(jpeg, colours_are_those_of_jfif) {
  const auto ycc = [](int r, int g, int b) {
    const colour_planes p = planes_of({1, 1, {std::uint8_t(r), std::uint8_t(g), std::uint8_t(b)}});
    return std::array<int, 3>{p.y.samples[0], p.cb.samples[0], p.cr.samples[0]};
  };
  using three = std::array<int, 3>;
  EXPECT_EQ(ycc(0, 0, 0), (three{0, 128, 128}));
  EXPECT_EQ(ycc(255, 255, 255), (three{255, 128, 128}));
  EXPECT_EQ(ycc(255, 0, 0), (three{76, 85, 255}));  // 255.5
  EXPECT_EQ(ycc(0, 255, 0), (three{150, 44, 21}));
  EXPECT_EQ(ycc(0, 0, 255), (three{29, 255, 107}));
  EXPECT_EQ(ycc(255, 255, 0), (three{226, 0, 149}));  // 0.5
  for (int level = 0; level < 256; ++level) EXPECT_EQ(ycc(level, level, level), (three{level, 128, 128}));
}

// All reds and greens, and every fifth blue.
TEST(jpeg, colours_are_rounded_to_the_nearest) {
  constexpr double most = 0.5 + 1e-9;
  for (int blue = 0; blue < 256; blue += 5) {
    const colour_planes planes = planes_of(filled(256, 256, [blue](int col, int row, int colour) {
      return colour == 0 ? col : colour == 1 ? row : blue;
    }));
    for (std::size_t i = 0; i < planes.y.samples.size(); ++i) {
      const auto red = static_cast<double>(i % 256), green = static_cast<double>(i / 256);
      const double y = 0.299 * red + 0.587 * green + 0.114 * blue;
      ASSERT_LE(std::abs(planes.y.samples[i] - y), most);
      ASSERT_LE(std::abs(planes.cb.samples[i] - (128 + (blue - y) / 1.772)), most);
      ASSERT_LE(std::abs(planes.cr.samples[i] - (128 + (red - y) / 1.402)), most);
    }
  }
}

TEST(jpeg, halves_are_rounded_away_from_zero) {
  coefficient_plane plane{8, 8, {{}}};
  plane.blocks[0][0] = 15, plane.blocks[0][1] = -15, plane.blocks[0][2] = 14.9f, plane.blocks[0][3] = -44;
  quantisation_table tens;
  tens.fill(10);
  const auto block = quantised(plane, tens).blocks[0];
  EXPECT_EQ((std::array<int, 4>{block[0], block[1], block[2], block[3]}), (std::array<int, 4>{2, -2, 1, -4}));
}

void expect_refused(const std::function<void()>& call, const std::string& because) {
  const std::string why = weir::testing::refusal<std::invalid_argument>(call);
  EXPECT_NE(why.find(because), std::string::npos) << because << ": " << why;
}

TEST(jpeg, bad_input_is_refused_in_words) {
  const auto luminance = jpeg_tables::luminance;
  const rgb_image good = random_image(8, 8, 1);
  expect_refused([&] { encode_jpeg(good, 0); }, "scaled_table: a quality is 1 to 100, and this is 0");
  expect_refused([&] { encode_jpeg(good, 101); }, "and this is 101");
  expect_refused([] { encode_jpeg({}, 50); }, "planes_of: a JPEG is 1 to 65535 samples wide and high, and this is 0x0");
  expect_refused([] { encode_jpeg({65536, 1, bytes(3 * 65536)}, 50); }, "this is 65536x1");
  expect_refused([] { encode_jpeg({-1, 1, {}}, 50); }, "this is -1x1");
  expect_refused([] { encode_jpeg({2, 2, bytes(11)}, 50); }, "11 samples where the size asks for 12");
  expect_refused([] { random_image(3, -1, 1); }, "there is no picture of 3x-1");
  expect_refused([] { forward_dct({2, 2, bytes(5)}); }, "forward_dct: 5 samples where the size asks for 4");
  expect_refused([&] { quantised({9, 8, {{}}}, annex_k_table(luminance)); }, "1 blocks where the size asks for 2");
  expect_refused([] { quantised({8, 8, {{}}}, {}); }, "an entry of the table is 0");
  expect_refused([&] { entropy_coded({8, 17, {{}}}, luminance); }, "1 blocks where the size asks for 3");
  quantised_plane beyond{8, 8, {{}}};
  beyond.blocks[0][63] = 1024;
  expect_refused([&] { entropy_coded(beyond, luminance); }, "a coefficient is 1024");
  beyond.blocks[0][0] = -1025;
  expect_refused([&] { entropy_coded(beyond, luminance); }, "a coefficient is -1025");
  const quantisation_table table = annex_k_table(luminance);
  expect_refused([&] { jpeg_file({8, 8, {}}, {8, 8, {}}, {8, 9, {}}, table, table); }, "8x8 and of 8x9");
}

// libjpeg-turbo itself reads up to 65500.
TEST(jpeg, very_wide_and_very_high_pictures_are_encoded) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{65500, 1}, {1, 65500}}) {
    const rgb_image picture = decoded(encode_jpeg(random_image(width, height, 2), 50));
    EXPECT_EQ(std::pair(picture.width, picture.height), std::pair(width, height));
  }
  EXPECT_NO_THROW(encode_jpeg(random_image(65535, 1, 2), 50));
}

}  // namespace
}  // namespace components
