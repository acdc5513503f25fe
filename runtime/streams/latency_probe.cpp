#include "runtime/streams/latency_probe.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "scheduler/view/numbers.hpp"

namespace weir::detail {

order_slot* latency_probe::follow(order_slot* outer) {
  order_slot* const slot = order_slot::make(*this, outer);
  slot->began_ = run_.now();
  begun_.fetch_add(1, std::memory_order_relaxed);
  return slot;
}

void latency_probe::follow(record_body& r) noexcept try { r.order = follow(r.order); } catch (const std::bad_alloc&) {
}

void latency_probe::forget(order_slot& slot) { slot.began_ = std::numeric_limits<double>::quiet_NaN(); }

void latency_probe::aim(double rate) {
  constexpr double each_second = 1000;  // two clock reads and a lock each: a ten-thousandth of a core
  const double of = std::clamp(rate / each_second, 1.0, 1e9);
  const std::uint64_t every = std::bit_ceil(static_cast<std::uint64_t>(of)) - 1;
  every_.store(every, std::memory_order_relaxed);
  if (!asks_for_all_) asked_.store(every, std::memory_order_relaxed);
}

void latency_probe::is_over(order_slot& slot) noexcept {
  const double began = slot.began_;
  order_slot::destroy(&slot);
  over_.fetch_add(1, std::memory_order_release);  // pairs with inside()
  if (std::isnan(began) || run_.is_stopping()) return;
  const double seconds = run_.now() - began;
  const lock_guard lock(mutex_);
  last_[followed_ % last_.size()] = seconds;
  ++followed_;
  sum_ += seconds;
}

latency_probe::summary latency_probe::seen() const { return since(0); }

latency_probe::latencies latency_probe::last(std::size_t most, std::uint64_t before) const {
  const lock_guard lock(mutex_);
  latencies out{followed_, followed_ > 0 ? sum_ / static_cast<double>(followed_) : std::nan(""), {}};
  const std::uint64_t kept = std::min<std::uint64_t>({followed_, last_.size(), most});
  out.seconds.reserve(kept);
  for (std::uint64_t at = std::max(before, followed_ - kept); at < followed_; ++at)
    out.seconds.push_back(last_[at % last_.size()]);
  return out;
}

latency_probe::summary latency_probe::since(std::uint64_t before) const {
  latencies of = last(last_.size(), before);
  std::vector<double>& last = of.seconds;
  summary out{.followed = of.followed, .mean = of.mean};
  const auto quantile = [&](double part) {
    if (last.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double rank = std::ceil(part * static_cast<double>(last.size()) * (1 - relative_rounding));
    const auto at = last.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(last.begin(), at, last.end());
    return *at;
  };
  out.p50 = quantile(0.5);
  out.p99 = quantile(0.99);
  return out;
}

}  // namespace weir::detail
