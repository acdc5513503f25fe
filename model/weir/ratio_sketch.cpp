#include "model/weir/ratio_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weir {
namespace {

constexpr int below = 24;  // bins for ratios less than 1
constexpr double width = std::numbers::ln2 / 16;
constexpr float early = 128, remembered = 1024;               // observations
constexpr float heavy = 1 << 20, lighter = 1.0F / (1 << 10);  // keep weights within the range of a float

constexpr double assumed = 4;                  // observations
constexpr double most_count = 4 * remembered;  // more than weights can be worth

// The thresholds that are tried, by the part of observations beyond them. Half of all at most, since beyond the median
// is as far down as any law of large times reaches.
constexpr std::array thresholds{.5, .35, .25, .18, .125, .09, .06, .045, .03, .02, .01};
constexpr double fewest_beyond = 4;      // observations that tell an exponent
constexpr double most_distance = 0.9;    // of Lilliefors' test, times sqrt(n): chance exceeds it once in eight times
constexpr double most_variation = 1.15;  // of Greenwood's, in standard errors: exceeded once in four times

// The lower edge of a bin. The ratio 1 is the middle of one.
double edge(int bin) { return (bin - below - 0.5) * width; }

int bin_of(double log_ratio) {
  return static_cast<int>(std::clamp(log_ratio / width + below + 0.5, 0.0, ratio_sketch::bins - 0.5));
}

// The part of a normal variable, of this standard deviation, that is less than `value`.
double normal_below(double value, double deviation) {
  constexpr double farthest = 6;  // standard deviations
  if (std::abs(value) >= farthest * deviation) return value > 0 ? 1 : 0;
  return std::erfc(-value / deviation / std::numbers::sqrt2) / 2;
}

// How many observations of equal weight would tell as much as these.
double equal_observations(double sum, double squares) {
  return squares > 0 ? std::min(sum * sum / squares, most_count) : 0;
}

// The counts as parts of all, and how many equal observations would tell as much.
struct histogram {
  std::array<double, ratio_sketch::bins> part;
  double count;

  histogram(const std::array<float, ratio_sketch::bins>& mass, double squares, double scatter) {
    double sum = 0;
    for (const float m : mass) sum += m;
    const double seen = equal_observations(sum, squares);
    count = seen + assumed;
    double before = 0;
    for (int i = 0; i < ratio_sketch::bins; ++i) {
      const double after = i + 1 < ratio_sketch::bins ? normal_below(edge(i + 1), scatter) : 1;
      const auto bin = static_cast<std::size_t>(i);
      part[bin] = ((sum > 0 ? mass[bin] / sum * seen : 0) + (after - before) * assumed) / count;
      before = after;
    }
  }
};

// Excesses of the logarithm over the lower edge of a bin.
struct excess {
  int bin = 0;
  double part = 0;              // of all, beyond the edge
  double mean = 0, square = 0;  // of these
  bool fits = false;            // Pareto's law

  excess(const histogram& of, int from) : bin(from) {
    for (int i = from; i < ratio_sketch::bins; ++i) {
      const double over = edge(i) + width / 2 - edge(from), p = of.part[static_cast<std::size_t>(i)];
      part += p;
      mean += p * over;
      square += p * over * over;
    }
    if (part > 0) mean /= part, square /= part;
  }
};

bool is_exponential(const histogram& of, const excess& e) {
  const double root = std::sqrt(e.part * of.count);
  if (std::abs(e.square / (2 * e.mean * e.mean) - 1) * root > most_variation) return false;
  const double each = std::exp(-width / e.mean);
  double seen = 0, left = 1, distance = 0;
  for (int i = e.bin; i < ratio_sketch::bins; ++i) {
    seen += of.part[static_cast<std::size_t>(i)] / e.part;
    left *= each;
    distance = std::max(distance, std::abs(seen - (1 - left)));
  }
  return distance * root <= most_distance;
}

// The excesses over the lowest threshold that the data allow, else over the highest that has enough beyond it.
excess excess_of(const histogram& of) {
  int bin = ratio_sketch::bins - 1;
  std::array<int, thresholds.size()> from{};
  double beyond = 0;
  for (std::size_t k = thresholds.size(); k-- > 0;) {
    while (bin > 0 && beyond + of.part[static_cast<std::size_t>(bin)] < thresholds[k])
      beyond += of.part[static_cast<std::size_t>(bin--)];
    from[k] = bin;
  }
  excess last(of, from[0]);
  for (const int threshold : from) {
    const excess e(of, threshold);
    if (e.part * of.count < fewest_beyond) break;
    last = e;
    last.fits = is_exponential(of, e);
    if (last.fits) break;
  }
  return last;
}

}  // namespace

void ratio_sketch::add(double log_ratio) {
  if (seen_ < early)
    weight_ = ++seen_;
  else
    weight_ *= 1 + 1 / remembered;
  mass_[static_cast<std::size_t>(bin_of(log_ratio))] += weight_;
  squares_ += weight_ * weight_;
  if (weight_ < heavy) return;
  for (float& m : mass_) m *= lighter;
  weight_ *= lighter;
  squares_ *= lighter * lighter;
}

void ratio_sketch::take_out(double log_ratio) {
  float& mass = mass_[static_cast<std::size_t>(bin_of(log_ratio))];
  const float out = std::min(mass, weight_);
  mass -= out;
  squares_ = std::max(squares_ - out * out, 0.0F);
}

double ratio_sketch::log_quantile(double part, double scatter) const {
  const histogram all(mass_, squares_, scatter);
  const excess tail = excess_of(all);
  if (tail.fits && 1 - part < tail.part) return edge(tail.bin) + tail.mean * std::log(tail.part / (1 - part));
  double before = 0;
  for (int i = 0; i < bins; ++i) {
    const double here = all.part[static_cast<std::size_t>(i)];
    if (here > 0 && before + here >= part) return edge(i) + width * (part - before) / here;
    before += here;
  }
  return edge(bins);
}

ratio_sketch::ratio_moments ratio_sketch::moments(double scatter) const {
  static const double next_bin = std::exp(width), first = std::exp(edge(0) + width / 2);
  double sum = 0, mean = 0, square = 0, ratio = first;
  for (const float mass : mass_) {
    sum += mass;
    mean += mass * ratio;
    square += mass * ratio * ratio;
    ratio *= next_bin;
  }
  const double each = equal_observations(sum, squares_) / std::max(sum, 1.0);  // of mass
  ratio_moments out;
  out.count = each * sum + assumed;
  out.mean = (each * mean + assumed) / out.count;
  square = (each * square + assumed * (1 + scatter * scatter)) / out.count;
  out.deviation = std::sqrt(std::max(square - out.mean * out.mean, 0.0));
  return out;
}

std::array<double, ratio_sketch::size> ratio_sketch::numbers() const {
  std::array<double, size> out{seen_, weight_, squares_};
  std::ranges::copy(mass_, out.begin() + 3);
  return out;
}

bool ratio_sketch::assign(std::span<const double, size> numbers) {
  constexpr double most = 1e18;
  if (!std::ranges::all_of(numbers, [](double v) { return v >= 0 && v <= most; })) return false;
  if (numbers[0] > early || numbers[1] > heavy) return false;
  seen_ = static_cast<float>(numbers[0]);
  weight_ = static_cast<float>(numbers[1]);
  squares_ = static_cast<float>(numbers[2]);
  std::ranges::transform(numbers.subspan<3>(), mass_.begin(), [](double v) { return static_cast<float>(v); });
  return true;
}

}  // namespace weir
