#include "bench/field/ferret/search.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace weir::field_bench::ferret {
namespace {

using feature = std::array<float, 16>;

feature random_feature(std::mt19937_64& random) {
  feature f;
  for (float& x : f) x = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1);
  return f;
}

float dot(const feature& a, const feature& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Smooths by the mean of 5 x 5 pixels.
std::vector<std::uint8_t> smoothed(const query& q) {
  std::vector<std::uint8_t> result(q.pixels.size());
  for (int y = 0; y < q.side; ++y)
    for (int x = 0; x < q.side; ++x) {
      int sum = 0, count = 0;
      for (int v = std::max(0, y - 2); v <= std::min(q.side - 1, y + 2); ++v)
        for (int u = std::max(0, x - 2); u <= std::min(q.side - 1, x + 2); ++u, ++count)
          sum += q.pixels[static_cast<std::size_t>(v * q.side + u)];
      result[static_cast<std::size_t>(y * q.side + x)] = static_cast<std::uint8_t>(sum / count);
    }
  return result;
}

}  // namespace

picture_index::picture_index(std::size_t entries, std::uint64_t seed) : lists_(256) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 8; ++i) planes_.push_back(random_feature(random));
  for (std::size_t i = 0; i < entries; ++i) {
    entries_.push_back(random_feature(random));
    lists_[list_of(entries_.back(), 8)].push_back(static_cast<std::uint32_t>(i));
  }
}

// The list by the signs of eight projections, one of which may be flipped; 8: none is.
std::size_t picture_index::list_of(const feature& f, std::size_t flipped) const {
  std::size_t list = 0;
  for (std::size_t p = 0; p < planes_.size(); ++p) list = 2 * list + ((dot(f, planes_[p]) > 0) != (p == flipped));
  return list;
}

std::vector<std::uint32_t> picture_index::candidates(const feature& f) const {
  constexpr std::size_t best_of_a_region = 20;
  std::vector<std::pair<float, std::uint32_t>> found;
  for (std::size_t flipped = 0; flipped <= planes_.size(); ++flipped)
    for (const std::uint32_t entry : lists_[list_of(f, flipped)]) found.emplace_back(distance(f, entry), entry);
  const auto best = found.begin() + static_cast<std::ptrdiff_t>(std::min(best_of_a_region, found.size()));
  std::partial_sort(found.begin(), best, found.end());
  std::vector<std::uint32_t> result;
  for (auto i = found.begin(); i != best; ++i) result.push_back(i->second);
  return result;
}

float picture_index::distance(const feature& f, std::uint32_t entry) const {
  float sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += (f[i] - entries_[entry][i]) * (f[i] - entries_[entry][i]);
  return sum;
}

held_query drawn(std::size_t index, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1'000'003 + index);
  auto q = std::make_shared<query>();
  q->index = index;
  q->side = 192;
  q->pixels.assign(static_cast<std::size_t>(q->side * q->side), 30);
  const auto discs = 2 + random() % 39;
  for (std::uint64_t d = 0; d < discs; ++d) {
    const int cx = static_cast<int>(random() % 192), cy = static_cast<int>(random() % 192);
    const int r = 6 + static_cast<int>(random() % 20);
    const auto brightness = static_cast<std::uint8_t>(60 + 45 * (random() % 4));
    for (int y = std::max(0, cy - r); y < std::min(q->side, cy + r); ++y)
      for (int x = std::max(0, cx - r); x < std::min(q->side, cx + r); ++x)
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r)
          q->pixels[static_cast<std::size_t>(y * q->side + x)] = brightness;
  }
  for (std::uint8_t& p : q->pixels) p = static_cast<std::uint8_t>(p + random() % 9);
  return q;
}

void segment(query& q) {
  const std::vector<std::uint8_t> smooth = smoothed(q);
  q.labels.assign(smooth.size(), -1);
  std::vector<std::size_t> waiting, region;
  const auto level = [&](std::size_t at) { return smooth[at] / 24; };
  for (std::size_t start = 0; start < smooth.size(); ++start) {
    if (q.labels[start] >= 0) continue;
    q.labels[start] = q.regions;
    region.assign(1, start);
    for (std::size_t next = 0; next < region.size(); ++next) {
      const std::size_t at = region[next], side = static_cast<std::size_t>(q.side);
      const auto visit = [&](bool is_inside, std::size_t to) {
        if (!is_inside || q.labels[to] >= 0 || level(to) != level(at)) return;
        q.labels[to] = q.regions;
        region.push_back(to);
      };
      visit(at % side > 0, at - 1);
      visit(at % side + 1 < side, at + 1);
      visit(at >= side, at - side);
      visit(at + side < smooth.size(), at + side);
    }
    constexpr std::size_t least = 40;  // smaller ones are borders: they belong to the ground, region 0
    if (region.size() < least && start > 0)
      for (const std::size_t at : region) q.labels[at] = 0;
    else
      ++q.regions;
  }
}

void extract(query& q) {
  struct moments {
    double count = 0, sum = 0, squares = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    std::array<double, 8> gradients{};
  };
  std::vector<moments> of(static_cast<std::size_t>(q.regions));
  const auto pixel = [&](int x, int y) {
    return static_cast<double>(q.pixels[static_cast<std::size_t>(y * q.side + x)]);
  };
  for (int y = 1; y + 1 < q.side; ++y)
    for (int x = 1; x + 1 < q.side; ++x) {
      moments& m = of[static_cast<std::size_t>(q.labels[static_cast<std::size_t>(y * q.side + x)])];
      const double p = pixel(x, y), dx = pixel(x + 1, y) - pixel(x - 1, y), dy = pixel(x, y + 1) - pixel(x, y - 1);
      const double u = x / 192.0, v = y / 192.0;
      ++m.count, m.sum += p, m.squares += p * p, m.x += u, m.y += v, m.xx += u * u, m.yy += v * v, m.xy += u * v;
      const auto bin = static_cast<std::size_t>((std::atan2(dy, dx) + 3.15) / 6.31 * 8);
      m.gradients[std::min<std::size_t>(bin, 7)] += std::hypot(dx, dy);
    }
  for (const moments& m : of) {
    const double n = std::max(1.0, m.count);
    feature f{};
    const std::array<double, 8> first{m.sum / n / 128 - 1,
                                      std::sqrt(std::max(0.0, m.squares / n - m.sum / n * m.sum / n)) / 64,
                                      2 * m.x / n - 1,
                                      2 * m.y / n - 1,
                                      m.xx / n,
                                      m.yy / n,
                                      m.xy / n,
                                      std::log(n) / 5 - 1};
    for (std::size_t i = 0; i < 8; ++i) {
      f[i] = static_cast<float>(first[i]);
      f[8 + i] = static_cast<float>(m.gradients[i] / n / 16 - 0.5);
    }
    q.features.push_back(f);
  }
}

void look_up(query& q, const picture_index& in) {
  for (const feature& f : q.features)
    for (const std::uint32_t entry : in.candidates(f)) q.candidates.push_back(entry);
  std::sort(q.candidates.begin(), q.candidates.end());
  q.candidates.erase(std::unique(q.candidates.begin(), q.candidates.end()), q.candidates.end());
}

void rank(query& q, const picture_index& in) {
  std::vector<std::pair<float, std::uint32_t>> scores;
  for (const std::uint32_t entry : q.candidates) {
    float sum = 0;
    for (const feature& f : q.features) sum += std::sqrt(in.distance(f, entry));
    scores.emplace_back(sum, entry);
  }
  std::sort(scores.begin(), scores.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(10, scores.size()); ++i) q.ranked.push_back(scores[i].second);
}

std::uint64_t sum_of(const query& q) {
  std::uint64_t sum = q.index + 1;
  for (const std::uint32_t entry : q.ranked) sum = sum * 1099511628211u + entry;
  return sum;
}

}  // namespace weir::field_bench::ferret
