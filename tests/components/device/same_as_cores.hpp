#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "components/device/device_kernels.hpp"
#include "components/images/blur.hpp"
#include "components/matrix/multiply.hpp"

// Every device gives the bits of the components on cores.
namespace components::testing {

inline matrix random_rectangle(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  matrix made(rows, cols);
  for (std::size_t i = 0; i < rows * cols; ++i) made.data()[i] = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  return made;
}

// Empty images, single pixels, rows, columns, sides around those of groups, and drawn ones.
inline std::vector<std::pair<int, int>> image_sizes(int drawn, int largest) {
  std::vector<std::pair<int, int>> sizes{{0, 0}, {0, 5}, {5, 0},  {1, 1},  {1, 9},
                                         {9, 1}, {2, 2}, {10, 8}, {11, 7}, {32, 9}};
  std::mt19937_64 random(7);
  for (int i = 0; i < drawn; ++i)
    sizes.emplace_back(1 + static_cast<int>(random() % largest), 1 + static_cast<int>(random() % largest));
  return sizes;
}

inline void expect_blurs_as_cores_do(device_queue& queue, int drawn = 30, int largest = 150) {
  int radius = 0;
  for (const auto& [width, height] : image_sizes(drawn, largest)) {
    radius = (radius + 5) % 13;
    const rgb_image image = random_image(width, height, 11);
    const std::string given =
        std::to_string(width) + "x" + std::to_string(height) + ", radius " + std::to_string(radius);
    const rgb_image expected = blurred(image, radius), there = blurred(queue, image, radius);
    EXPECT_EQ(there.width, width) << given;
    EXPECT_EQ(there.height, height) << given;
    EXPECT_TRUE(there.samples == expected.samples) << given;
    EXPECT_TRUE(blurred(queue, device_image(image), radius).on_host().samples == expected.samples) << given;
  }
}

inline void expect_multiplies_as_cores_do(device_queue& queue, int drawn = 30, std::size_t largest = 70) {
  struct sides {
    std::size_t rows, depth, cols;
  };
  std::vector<sides> all{{0, 0, 0},  {0, 3, 4},   {3, 0, 4},    {3, 4, 0},   {1, 1, 1},
                         {1, 20, 1}, {20, 1, 20}, {16, 16, 16}, {17, 15, 33}};
  std::mt19937_64 random(8);
  const auto side = [&] { return 1 + static_cast<std::size_t>(random() % largest); };
  for (int i = 0; i < drawn; ++i) {
    const std::size_t rows = side(), depth = side();
    all.push_back({rows, depth, side()});
  }
  for (const auto& [rows, depth, cols] : all) {
    const matrix a = random_rectangle(rows, depth, 1), b = random_rectangle(depth, cols, 2);
    const std::string given = shape(a) + " times " + shape(b);
    const matrix expected = multiply_sequential(a, b);
    EXPECT_TRUE(multiplied(queue, a, b) == expected) << given;
    EXPECT_TRUE(multiplied(queue, device_matrix(a), device_matrix(b)).on_host() == expected) << given;
  }
}

// A batch of sizes that come again, as cores do each alone; one copy there and one back for each size.
inline void expect_batches_as_cores_do(device_queue& queue, int of_each = 5, int largest = 40) {
  std::vector<rgb_image> images;
  std::vector<matrix> a, b;
  std::mt19937_64 random(9);
  const auto side = [&] { return 1 + static_cast<int>(random() % static_cast<unsigned>(largest)); };
  const int width = side(), height = side(), depth = side();
  for (int i = 0; i < 3 * of_each; ++i) {
    const int more = i % 3;
    images.push_back(random_image(width + more, height, static_cast<std::uint64_t>(i)));
    a.push_back(random_rectangle(std::size_t(height), std::size_t(depth + more), std::uint64_t(i)));
    b.push_back(random_rectangle(std::size_t(depth + more), std::size_t(width), std::uint64_t(i) + 100));
  }
  images.push_back(random_image(0, 7, 1));
  const auto before = queue.transfers().to_device(), before_back = queue.transfers().from_device();
  const std::vector<rgb_image> soft = blurred(queue, images, 3);
  EXPECT_EQ(queue.transfers().to_device() - before, 3u);
  EXPECT_EQ(queue.transfers().from_device() - before_back, 3u);
  ASSERT_EQ(soft.size(), images.size());
  for (std::size_t i = 0; i < soft.size(); ++i) {
    EXPECT_EQ(soft[i].width, images[i].width) << i;
    EXPECT_TRUE(soft[i].samples == blurred(images[i], 3).samples) << i;
  }
  const std::vector<matrix> products = multiplied(queue, a, b);
  ASSERT_EQ(products.size(), a.size());
  for (std::size_t i = 0; i < products.size(); ++i) EXPECT_TRUE(products[i] == multiply_sequential(a[i], b[i])) << i;
  EXPECT_TRUE(blurred(queue, std::span<const rgb_image>{}, 3).empty());
  EXPECT_TRUE(multiplied(queue, std::span<const matrix>{}, std::span<const matrix>{}).empty());
}

}  // namespace components::testing
