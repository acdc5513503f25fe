#include "scheduler/control/steady_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {
namespace {

constexpr double standard_errors = 4;
constexpr double standard_errors_ahead = 5;  // of the change that looks largest among several
constexpr double alike = 1e-9;               // least difference of means that counts

}  // namespace

void steady_inputs::moments::add(double value) { add(moments{1, value, 0}); }

// Source: Chan, Golub and LeVeque, Algorithms for Computing the Sample Variance, The American Statistician 37, 1983.
void steady_inputs::moments::add(const moments& other) {
  if (other.count == 0) return;
  const double all = count + other.count, apart = other.mean - mean;
  squares += other.squares + apart * apart * count * other.count / all;
  mean += apart * other.count / all;
  count = all;
}

double steady_inputs::apart(const moments& last, const moments& before) {
  const double error = std::max(last.variance(), before.variance()) / last.count + before.variance() / before.count;
  const double difference = std::abs(last.mean - before.mean) - alike;
  return difference > 0 ? difference / std::sqrt(error) : 0;
}

bool steady_inputs::differ(const moments& last, const moments& before) { return apart(last, before) > standard_errors; }

void steady_inputs::make_room() {
  if (singles_.size() == 2 * block_size) {
    blocks_.resize(most / block_size);
  } else if (singles_.size() == singles_.capacity()) {
    singles_.reserve(next_capacity(singles_.size(), 2 * block_size));
  }
}

void steady_inputs::add(double x) {
  make_room();
  if (singles_.size() == 2 * block_size) close_block();
  if (count() == 0)
    only_ = x, all_same_ = true;
  else
    all_same_ = all_same_ && x == only_;
  const bool is_same = !singles_.empty() && x == singles_.back().x;
  singles_.push_back({x, is_same ? singles_.back().compared : std::asinh(x)});
  if (!all_same_ && singles_.size() % fewest == 0) look_for_change();
}

void steady_inputs::close_block() {
  block& to = blocks_[next_block_];
  to.of = {};
  std::array<double, block_size> sorted;
  for (std::size_t i = 0; i < block_size; ++i) {
    to.of.add(singles_[i].compared);
    sorted[i] = singles_[i].x;
  }
  std::ranges::sort(sorted);
  constexpr std::size_t each = block_size / groups;
  for (std::size_t g = 0; g < groups; ++g) {
    double sum = 0;
    for (std::size_t i = 0; i < each; ++i) sum += sorted[g * each + i];
    to.x[g] = sum / each;
  }
  next_block_ = (next_block_ + 1) % blocks_.size();
  // One block more would exceed `most`.
  blocks_used_ = std::min(blocks_used_ + 1, blocks_.size() - 2);
  keep_last(singles_.size() - block_size);
}

void steady_inputs::keep_last(std::size_t count) {
  singles_.erase(singles_.begin(), singles_.end() - static_cast<std::ptrdiff_t>(count));
}

steady_inputs::moments steady_inputs::moments::without(const moments& last) const {
  moments before;
  before.count = count - last.count;
  before.mean = mean + (mean - last.mean) * last.count / before.count;
  const double apart = last.mean - before.mean;
  before.squares = std::max(0.0, squares - last.squares - apart * apart * last.count * before.count / count);
  return before;
}

steady_inputs::moments steady_inputs::of_all() const {
  moments all;
  for (const single& one : singles_) all.add(one.compared);
  for (std::size_t b = 0; b < blocks_used_; ++b) all.add(older(b).of);
  return all;
}

std::optional<steady_inputs> steady_inputs::ahead(std::span<const double> next) const {
  next = next.first(std::min(next.size(), most_ahead));
  const std::size_t first = std::min(near, next.size());
  if (first == 0 || count() < fewest ||
      (all_same_ && std::ranges::all_of(next.first(first), [&](double x) { return x == only_; })))
    return std::nullopt;
  moments all = of_all(), last;
  for (double x : next.first(first)) all.add(std::asinh(x));
  // The last values, from the latest back: those ahead, then some of those added. Where the change is, they differ most
  // from those before.
  double most_apart = standard_errors_ahead;
  std::size_t changed = 0;
  for (std::size_t i = 1; i <= first + std::min(fewest, singles_.size()); ++i) {
    last.add(i <= first ? std::asinh(next[first - i]) : singles_[singles_.size() - (i - first)].compared);
    if (all.count - last.count < fewest) break;
    if (i < least_ahead || i + near < first + least_ahead) continue;
    if (const double differs = apart(last, all.without(last)); differs > most_apart) most_apart = differs, changed = i;
  }
  if (changed == 0) return std::nullopt;
  steady_inputs after;
  after.all_same_ = false;
  const auto keep = [&after](double x) { after.singles_.push_back({x, std::asinh(x)}); };
  for (std::size_t k = changed > first ? changed - first : 0; k > 0; --k) keep(singles_[singles_.size() - k].x);
  for (double x : next.subspan(changed < first ? first - changed : 0)) keep(x);
  return after;
}

void steady_inputs::look_for_change() {
  const moments all = of_all();

  moments last;
  std::size_t next = fewest;
  for (std::size_t i = 1; i <= singles_.size(); ++i) {
    last.add(singles_[singles_.size() - i].compared);
    if (i != next) continue;
    if (all.count - last.count < fewest) return;
    if (differ(last, all.without(last))) {
      keep_last(i);
      blocks_used_ = 0;
      return;
    }
    next *= 2;
  }
  for (std::size_t b = 0; b < blocks_used_; ++b) {
    last.add(older(b).of);
    if (last.count < static_cast<double>(next)) continue;
    if (all.count - last.count < block_size) return;
    if (differ(last, all.without(last))) {
      blocks_used_ = b + 1;
      return;
    }
    next *= 2;
  }
}

std::vector<typical_input> steady_inputs::typical() const {
  std::vector<typical_input> all;
  if (count() == 0) return all;
  all.reserve(singles_.size() + groups * blocks_used_);
  const double one = 1 / static_cast<double>(count()), eighth = one * block_size / groups;
  for (const single& s : singles_) all.push_back({s.x, one});
  for (std::size_t b = 0; b < blocks_used_; ++b)
    for (double x : older(b).x) all.push_back({x, eighth});
  std::ranges::sort(all, {}, &typical_input::x);
  if (all.front().x == all.back().x) return {{all.front().x, 1}};

  std::vector<typical_input> result;
  double behind = 0, sum = 0, weight = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i].x * all[i].weight;
    weight += all[i].weight;
    const bool is_last = i + 1 == all.size();
    // A group ends where the next value would lie with more than half of it in the next eighth.
    const double next = is_last ? 0 : all[i + 1].weight;
    if (!is_last && (behind + weight + next / 2) * groups <= static_cast<double>(result.size() + 1)) continue;
    result.push_back({sum / weight, weight});
    behind += std::exchange(weight, 0);
    sum = 0;
  }
  return result;
}

}  // namespace weir
