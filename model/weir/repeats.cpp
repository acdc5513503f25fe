#include "model/weir/repeats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weir {
namespace {

constexpr int probed_places = 4;
constexpr float most_mass = 32;
// Means over this many observations: they follow a law that still changes.
constexpr double averaged = 64;
// Before this many observations at known keys nothing is told apart.
constexpr double fewest_known = 12;
// The law's error counts from this multiple of its chance value.
constexpr double clearly = 4;
// No clock repeats better.
constexpr double least_variance = 1e-8;

std::size_t first_place(double x, int cores) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x) ^ (static_cast<std::uint64_t>(cores) * 0x9e3779b97f4a7c15u);
  bits ^= bits >> 32;
  bits *= 0xd6e8feb86659fd93u;
  return bits >> 58;
}
static_assert(repeats::places == 64);

}  // namespace

const repeats::entry* repeats::find(double x, int cores) const {
  const std::size_t first = first_place(x, cores);
  for (std::size_t i = 0; i < probed_places; ++i) {
    const entry& at = all_[(first + i) % places];
    if (at.x == x && at.cores == cores) return &at;
  }
  return nullptr;
}

double repeats::shrunk(const entry* at, double log_law) const {
  if (!at) return 0;
  return (at->log_seconds - log_law) * signal_ / (signal_ + within_ / at->mass);
}

void repeats::add(double x, int cores, double log_seconds, double log_law) {
  if (const entry* known = find(x, cores)) {
    entry& at = all_[static_cast<std::size_t>(known - all_.data())];
    seen_ = std::min(seen_ + 1, 1e6);
    const double step = 1 / std::min(seen_, averaged), n = at.mass;
    double off = log_seconds - at.log_seconds;
    if (seen_ > fewest_known) {  // so that late invocations do not decide
      const double most = 3 * std::sqrt(within_ * (1 + 1 / n));
      off = std::clamp(off, -most, most);
    }
    within_ = std::max(within_ + step * (off * off * n / (n + 1) - within_), least_variance);
    const double miss = at.log_seconds - log_law;
    between_ += step * (miss * miss - within_ / n - between_);
    chance_ += step * (within_ / n - chance_);
    signal_ = seen_ >= fewest_known && between_ > clearly * chance_ ? between_ : 0;
    at.mass = std::min(at.mass + 1, most_mass);
    at.log_seconds += off * std::min(2 / (at.mass + 1), 1.0F);  // later ones weigh more: the law was still wrong
    return;
  }
  const std::size_t first = first_place(x, cores);
  entry* weakest = &all_[first];
  for (std::size_t i = 1; i < probed_places; ++i)
    if (entry& at = all_[(first + i) % places]; at.mass < weakest->mass) weakest = &at;
  if (weakest->mass > 1)
    --weakest->mass;
  else
    *weakest = {x, log_seconds, cores, 1};
}

void repeats::weaken() {
  for (entry& at : all_) at.mass = std::min(at.mass, 2.0F);
}

std::array<double, repeats::size> repeats::numbers() const {
  std::array<double, size> out{within_, between_, chance_, seen_, signal_};
  auto to = out.begin() + 5;
  for (const entry& at : all_) *to++ = at.x, *to++ = at.log_seconds, *to++ = at.cores, *to++ = at.mass;
  return out;
}

bool repeats::assign(std::span<const double, size> numbers) {
  if (!std::ranges::all_of(numbers, [](double v) { return std::isfinite(v) && v >= -1e308; })) return false;
  constexpr double most = 1e6, most_log = 1e3;
  if (std::ranges::any_of(numbers.first(5), [](double v) { return std::abs(v) > most; })) return false;
  if (numbers[0] < 0 || numbers[2] < 0 || numbers[3] < 0 || numbers[4] < 0) return false;
  repeats next;
  auto from = numbers.begin() + 5;
  for (entry& at : next.all_) {
    const double x = *from++, log_seconds = *from++, cores = *from++, mass = *from++;
    const bool fits = x >= 0 && cores >= -1 && cores <= 0x7fffffff && cores == std::floor(cores) && mass >= 0 &&
                      mass <= most_mass && (cores < 0 || mass >= 1) && std::abs(log_seconds) <= most_log;
    if (!fits) return false;
    at = {x, log_seconds, static_cast<int>(cores), static_cast<float>(mass)};
  }
  next.within_ = numbers[0], next.between_ = numbers[1], next.chance_ = numbers[2];
  next.seen_ = numbers[3], next.signal_ = numbers[4];
  *this = next;
  return true;
}

}  // namespace weir
