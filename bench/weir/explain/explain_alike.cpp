#include "bench/weir/explain/explain_alike.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace weir::program {
namespace {

constexpr std::size_t most_rows_compared = 20'000;
constexpr std::size_t most_codes = 16;
constexpr double alike = 0.95;

template <typename Value>
std::vector<Value> strided(const std::vector<Value>& all) {
  const std::size_t stride = (all.size() + most_rows_compared - 1) / most_rows_compared;
  std::vector<Value> some;
  for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(stride, 1)) some.push_back(all[i]);
  return some;
}

template <typename Key>
double entropy(const std::map<Key, double>& counts, double rows) {
  double sum = 0;
  for (const auto& [key, count] : counts) sum -= count / rows * std::log(count / rows);
  return sum;
}

}  // namespace

column_sample::column_sample(const std::vector<float>& values) : numbers_(strided(values)) {
  std::vector<float> met;
  for (const float v : numbers_) {
    const auto found = std::find(met.begin(), met.end(), v);
    codes_.push_back(static_cast<std::uint8_t>(found - met.begin()));
    if (found != met.end()) continue;
    met.push_back(v);
    if (met.size() <= most_codes) continue;
    codes_.clear();
    return;
  }
}

column_sample::column_sample(const std::vector<std::uint8_t>& level, int levels) : codes_(strided(level)) {
  if (levels == 2) numbers_.assign(codes_.begin(), codes_.end());
}

bool column_sample::is_like(const column_sample& other) const {
  if (!numbers_.empty() && !other.numbers_.empty() && std::abs(correlation(numbers_, other.numbers_)) > alike)
    return true;
  if (codes_.empty() || other.codes_.empty()) return false;
  std::map<std::uint8_t, double> mine, its;
  std::map<std::pair<std::uint8_t, std::uint8_t>, double> both;
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    ++mine[codes_[i]];
    ++its[other.codes_[i]];
    ++both[{codes_[i], other.codes_[i]}];
  }
  const auto rows = static_cast<double>(codes_.size());
  const double a = entropy(mine, rows), b = entropy(its, rows);
  return a > 0 && b > 0 && a + b - entropy(both, rows) > alike * std::max(a, b);
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  const auto rows = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / rows;
    mean_b += b[i] / rows;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace weir::program
