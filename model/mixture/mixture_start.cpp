#include "model/mixture/mixture_start.hpp"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

constexpr float farthest = 4;   // deviations; beyond it outliers would become centres
constexpr int refinements = 3;  // of Lloyd's algorithm: EM does the rest

// Rows as points, one after another.
struct points {
  std::size_t rows = 0, dimensions = 0;
  std::vector<float> values;

  void append(const auto& value_of) {
    std::vector<float> wider;
    wider.reserve(rows * (dimensions + 1));
    for (std::size_t r = 0; r < rows; ++r) {
      wider.insert(wider.end(), values.begin() + r * dimensions, values.begin() + (r + 1) * dimensions);
      wider.push_back(std::clamp(value_of(r), -farthest, farthest));
    }
    values = std::move(wider);
    ++dimensions;
  }

  float distance(std::size_t row, const float* centre) const {
    float sum = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const float apart = values[row * dimensions + d] - centre[d];
      sum += apart * apart;
    }
    return sum;
  }
};

points points_of(const mixture_data& data, const std::vector<float>& residual, double features,
                 std::mt19937_64& random) {
  points all;
  all.rows = data.rows();
  all.append([&](std::size_t r) { return residual[r]; });
  for (const auto& column : data.continuous)
    if (uniform(random) < features) all.append([&](std::size_t r) { return column[r]; });
  for (const auto& column : data.discrete) {
    if (uniform(random) >= features) continue;
    for (int level = 0; level < column.levels; ++level)
      all.append([&](std::size_t r) { return column.level[r] == level ? 1.5f : 0.0f; });
  }
  return all;
}

}  // namespace

std::vector<std::uint8_t> start_labels(const mixture_data& data, const std::vector<float>& residual, int modes,
                                       double features, std::mt19937_64& random) {
  const points all = points_of(data, residual, features, random);
  const std::size_t width = all.dimensions;
  std::vector<float> centres, nearest(all.rows, std::numeric_limits<float>::max());
  std::vector<std::uint8_t> labels(all.rows, 0);
  const auto add_centre = [&](std::size_t row) {
    const auto label = static_cast<std::uint8_t>(centres.size() / width);
    centres.insert(centres.end(), all.values.begin() + row * width, all.values.begin() + (row + 1) * width);
    for (std::size_t r = 0; r < all.rows; ++r)
      if (const float d = all.distance(r, &centres[label * width]); d < nearest[r]) {
        nearest[r] = d;
        labels[r] = label;
      }
  };
  add_centre(static_cast<std::size_t>(uniform(random) * static_cast<double>(all.rows)));
  for (int k = 1; k < modes; ++k) {
    double sum = 0;
    for (const float d : nearest) sum += d;
    double left = uniform(random) * sum;
    std::size_t row = 0;
    while (row + 1 < all.rows && (left -= nearest[row]) >= 0) ++row;
    add_centre(row);
  }

  for (int i = 0; i < refinements; ++i) {
    std::vector<double> sums(centres.size(), 0);
    std::vector<double> rows(static_cast<std::size_t>(modes), 0);
    for (std::size_t r = 0; r < all.rows; ++r) {
      ++rows[labels[r]];
      for (std::size_t d = 0; d < width; ++d) sums[labels[r] * width + d] += all.values[r * width + d];
    }
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t d = 0; d < width && rows[k] > 0; ++d)
        centres[k * width + d] = static_cast<float>(sums[k * width + d] / rows[k]);
    for (std::size_t r = 0; r < all.rows; ++r) {
      float least = std::numeric_limits<float>::max();
      for (std::size_t k = 0; k < rows.size(); ++k)
        if (const float d = all.distance(r, &centres[k * width]); d < least) {
          least = d;
          labels[r] = static_cast<std::uint8_t>(k);
        }
    }
  }
  return labels;
}

}  // namespace weir
