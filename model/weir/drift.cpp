#include "model/weir/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/weir/residual_scale.hpp"

namespace weir {
namespace {

// Four observations that are off by two and a half deviations reach this. Noise alone reaches it about once in ten
// thousand observations, and the other residuals then refute it.
constexpr double threshold = 8;
// An observation further away than this is not explained by noise.
constexpr double off = 2.5;
// At least this many observations since the change, and this part of them, must be off: of six, five. If one invocation
// in twenty is late, late ones alone reach that about once in ten thousand observations.
constexpr int fewest = 6;
constexpr double most_of = 0.75;
// If everything remembered is off, it may be off by less. The median of this number is known to a third of their
// scatter.
constexpr double small = 1.5;
// A change by less than 1 % is none, however exact the times.
constexpr double least_scatter = 0.01;

double median(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void drift::sum::add(double by) {
  value = std::max(0.0F, value + static_cast<float>(by));
  since = value > 0 ? std::min(since + 1, memory) : 0;
}

drift::verdict drift::add(const remembered& seen, double scatter, bool counts) {
  ring_[static_cast<std::size_t>(next_)] = seen;
  next_ = (next_ + 1) % memory;
  count_ = std::min(count_ + 1, memory);
  counted_ = counts ? std::min(counted_ + 1, memory) : 0;
  if (!counts) return {};
  scatter = std::max(scatter, least_scatter);
  const double z = std::clamp(seen.residual / scatter, -4.0, 4.0);
  up_.add(z - 0.5);
  down_.add(-z - 0.5);
  wide_.add(z * z / 2 - 1.5);
  for (sum* s : {&up_, &down_, &wide_}) {
    if (s->value <= threshold || s->since < fewest) continue;
    const verdict found = judge(std::min(s->since, count_), scatter);
    if (found.kind != change::none) {
      restart();
      count_ = found.since;
      counted_ = std::min(counted_, count_);
      return found;
    }
    if (s->since == memory && found.since == 0) *s = {};  // no change has begun
  }
  return {};
}

drift::verdict drift::judge(int observed, double scatter) const {
  // The change began where most later residuals are off and most earlier ones are not: the suffix with the greatest
  // score.
  constexpr double most_score = 4, usual = 2;
  int since = 0;
  double score = 0, best = 0;
  for (int i = 0; i < observed; ++i) {
    score += std::min(std::abs(last(i).residual) / scatter, most_score) - usual;
    if (score > best) best = score, since = i + 1;
  }
  std::array<double, memory> residuals{};
  const auto newest = [&](int count) {
    for (int i = 0; i < count; ++i) residuals[static_cast<std::size_t>(i)] = last(i).residual;
    return std::span(residuals).first(static_cast<std::size_t>(count));
  };
  const auto all = newest(since);
  const auto beyond = std::ranges::count_if(all, [&](double r) { return std::abs(r) > off * scatter; });
  if (since >= fewest && static_cast<double>(beyond) >= most_of * since) {
    const double level = median(all);
    for (double& r : all) r = std::abs(r - level);
    // The median of |z| of normal z is 0.67.
    return {median(all) > 0.67 * off * scatter ? change::shape : change::level, level, since};
  }
  if (since > 0 || observed < memory) return {change::none, 0, since};
  const double level = median(newest(observed));
  if (std::abs(level) > small * scatter) return {change::level, level, observed};
  return {};
}

double drift::bias() const {
  // By chance as many are on one side in one of 1900 sequences, and hardly ever off by 1.5 of their own deviations.
  constexpr int most_other_side = 1;
  if (counted_ < memory) return 0;
  const int cores = last(0).cores;
  int above = 0;
  std::array<double, memory> residuals{};
  for (int i = 0; i < memory; ++i) {
    if (last(i).cores != cores) return 0;
    residuals[static_cast<std::size_t>(i)] = last(i).residual;
    above += last(i).residual > 0;
  }
  if (std::min(above, memory - above) > most_other_side) return 0;
  const double level = median(residuals);
  for (double& r : residuals) r = std::abs(r - level);
  const double scatter = std::max(residual_scale::normal * median(residuals), least_scatter);
  return std::abs(level) > small * scatter ? level : 0;
}

std::array<double, drift::size> drift::numbers() const {
  std::array<double, size> out{static_cast<double>(next_ + memory * counted_), static_cast<double>(count_)};
  auto to = out.begin() + 2;
  for (const sum& s : {up_, down_, wide_}) *to++ = s.value, *to++ = s.since;
  for (const remembered& r : ring_) *to++ = r.x, *to++ = r.seconds, *to++ = r.residual, *to++ = r.cores;
  return out;
}

bool drift::assign(std::span<const double, size> numbers) {
  const auto whole = [](double v, int most) { return v >= 0 && v <= most && v == std::floor(v); };
  if (!std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); })) return false;
  if (!whole(numbers[0], memory * (memory + 1) - 1) || !whole(numbers[1], memory)) return false;
  drift next;
  next.next_ = static_cast<int>(numbers[0]) % memory;
  next.counted_ = static_cast<int>(numbers[0]) / memory;
  next.count_ = static_cast<int>(numbers[1]);
  if (next.counted_ > next.count_) return false;
  auto from = numbers.begin() + 2;
  for (sum* s : {&next.up_, &next.down_, &next.wide_}) {
    if (!(*from >= 0 && *from <= 1e6)) return false;
    s->value = static_cast<float>(*from++);
    if (!whole(*from, memory)) return false;
    s->since = static_cast<int>(*from++);
  }
  for (remembered& r : next.ring_) {
    const double x = *from++, seconds = *from++, residual = *from++, cores = *from++;
    if (x < 0 || seconds < 0 || seconds > 1e13 || std::abs(residual) > 1e3 ||
        !whole(cores, std::numeric_limits<int>::max()))
      return false;
    r = {x, static_cast<float>(seconds), static_cast<float>(residual), static_cast<int>(cores)};
  }
  for (int i = 0; i < next.count_; ++i)
    if (next.last(i).cores < 1 || !(next.last(i).seconds > 0)) return false;
  *this = next;
  return true;
}

}  // namespace weir
