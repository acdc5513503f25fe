#include "model/papers/point_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace weir {
namespace {

using point = point_table::point;

bool before(const point& a, const point& b) { return std::tie(a.cores, a.x) < std::tie(b.cores, b.x); }

point merged(const point& a, const point& b) {
  const double count = a.count + b.count;
  const double seconds = a.seconds + (b.seconds - a.seconds) * (b.count / count);
  double way = b.count / count;  // from a to b
  const double rise = std::log(b.seconds / a.seconds);
  if (std::abs(rise) > 1e-9) way = std::clamp(std::log(seconds / a.seconds) / rise, 0.0, 1.0);
  const double x = a.x > 0 ? a.x * std::pow(b.x / a.x, way) : a.x + (b.x - a.x) * way;
  return {std::clamp(x, a.x, b.x), a.cores, count, seconds};
}

}  // namespace

std::span<const point> point_table::at(int cores) const {
  const std::span<const point> all = points();  // two bounds: clang 14 cannot use libstdc++ 12's equal_range
  return {std::ranges::lower_bound(all, cores, {}, &point::cores),
          std::ranges::upper_bound(all, cores, {}, &point::cores)};
}

void point_table::add(const observation& seen) {
  seen_.add(seen);
  const point fresh{seen.x, seen.cores, 1, seen.seconds};
  const auto end = points_.begin() + used_;
  const auto place = std::lower_bound(points_.begin(), end, fresh, before);
  if (place != end && place->cores == seen.cores && place->x == seen.x) {
    const double off = seen.seconds - place->seconds;
    place->count += 1;
    place->seconds += off / place->count;
    within_ += off / place->seconds * ((seen.seconds - place->seconds) / place->seconds);
    return;
  }
  std::move_backward(place, end, end + 1);
  *place = fresh;
  if (++used_ > capacity) make_room();
}

void point_table::make_room() {
  double closest_x = std::numeric_limits<double>::infinity(), closest_cores = closest_x;
  int pair = -1, neighbours = 0;
  for (int i = 0; i + 2 < used_; ++i) {
    const point &a = points_[i], &b = points_[i + 1];
    const double ratio = b.x / a.x, cores = static_cast<double>(b.cores) / a.cores;
    if (a.cores == b.cores && (ratio < closest_x || pair < 0)) closest_x = ratio, pair = i;
    if (a.cores != b.cores && cores < closest_cores) closest_cores = cores, neighbours = i;
  }
  int gone = pair + 1;
  if (pair >= 0) {
    points_[pair] = merged(points_[pair], points_[pair + 1]);
  } else {
    const bool keeps_first = neighbours == 0 || points_[neighbours].count >= points_[neighbours + 1].count;
    gone = keeps_first ? neighbours + 1 : neighbours;
  }
  std::move(points_.begin() + gone + 1, points_.begin() + used_, points_.begin() + gone);
  --used_;
}

std::vector<double> point_table::numbers() const {
  std::vector<double> out = seen_.numbers();
  out.push_back(within_);
  out.push_back(used_);
  for (const point& one : points())
    out.insert(out.end(), {one.x, static_cast<double>(one.cores), one.count, one.seconds});
  out.resize(size);
  return out;
}

bool point_table::assign(std::span<const double> numbers) {
  if (numbers.size() != size || !std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); })) return false;
  coverage seen;
  if (!seen.assign(numbers.first(coverage::size))) return false;
  const double within = numbers[coverage::size], used = numbers[coverage::size + 1];
  constexpr double furthest = longest_usable / shortest_usable;  // from a time to another, relative to that
  const double n = static_cast<double>(seen.observations);
  const bool fits =
      within >= 0 && within <= n * furthest * furthest && used >= 0 && used <= capacity && used == std::floor(used);
  if (!fits || (used == 0) != (seen.observations == 0)) return false;

  point_table next;
  const auto rows = numbers.subspan(coverage::size + 2);
  for (std::size_t i = 0; i < rows.size(); i += 4) {
    const double x = rows[i], cores = rows[i + 1], count = rows[i + 2], seconds = rows[i + 3];
    if (i >= 4 * static_cast<std::size_t>(used)) {
      if (x != 0 || cores != 0 || count != 0 || seconds != 0) return false;
      continue;
    }
    const bool sound = x >= seen.smallest_x && x <= seen.largest_x && cores >= seen.smallest_cores &&
                       cores <= seen.largest_cores && cores == std::floor(cores) && count >= 1 && count <= n &&
                       count == std::floor(count) && is_mean_time(seconds);
    if (!sound) return false;
    const point one{x, static_cast<int>(cores), count, seconds};
    if (next.used_ > 0 && !before(next.points_[next.used_ - 1], one)) return false;
    next.points_[next.used_++] = one;
  }
  if (next.used_ > 0 && next.points_[0].cores != seen.smallest_cores) return false;  // it is never left out
  next.seen_ = seen;
  next.within_ = within;
  *this = next;
  return true;
}

}  // namespace weir
