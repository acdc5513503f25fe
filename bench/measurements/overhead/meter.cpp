#include "bench/measurements/overhead/meter.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>

#include "bench/measurements/overhead/allocations.hpp"
#include "bench/support/quantile.hpp"
#include "runtime/threads/cpu_seconds.hpp"

namespace weir::overhead {
namespace {

double seconds_between(const usage& from, const usage& to) {
  return std::chrono::duration<double>(to.at - from.at).count();
}

}  // namespace

usage usage_now() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {std::chrono::steady_clock::now(), detail::cpu_seconds_in(used), used.ru_nvcsw + used.ru_nivcsw,
          allocations()};
}

sample sample_of(const usage& from, const usage& to, std::int64_t records) {
  const auto count = static_cast<double>(records);
  sample s;
  s.seconds = seconds_between(from, to);
  s.records_per_second = count / s.seconds;
  s.cpu_ns_per_record = (to.cpu_seconds - from.cpu_seconds) / count * 1e9;
  s.switches_per_record = static_cast<double>(to.switches - from.switches) / count;
  return s;
}

meter::meter(std::int64_t records, bool in_order)
    : records_(records), in_order_(in_order), next_mark_(std::max<std::int64_t>(1, records / 5)) {}

void meter::begin() { begun_ = usage_now(); }

void meter::mark() {
  const usage now = usage_now();
  if (seen_ == std::max<std::int64_t>(1, records_ / 5)) fifth_ = now;
  if (seen_ == std::max<std::int64_t>(1, records_ / 2)) half_ = now;
  if (seen_ == records_) end_ = now;
  next_mark_ = seen_ < records_ / 2 ? records_ / 2 : records_;
}

sample meter::result(const std::string& who) const {
  std::uint64_t sum = 0, squares = 0;
  for (std::int64_t i = 0; i < records_; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    sum += n;
    squares += n * n;
  }
  if (seen_ != records_) throw std::runtime_error(fmt::format("{} gave {} records of {}", who, seen_, records_));
  if (!right_) throw std::runtime_error(who + " gave a wrong answer");
  if (sum_ != sum || squares_ != squares) throw std::runtime_error(who + " lost a record and gave another twice");
  if (in_order_ && !ordered_) throw std::runtime_error(who + " did not keep the order");
  sample s = sample_of(begun_, end_, records_);
  if (records_ >= 10) {
    s.steady_records_per_second = static_cast<double>(records_ - records_ / 2) / seconds_between(half_, end_);
    // Counts that threads have not added yet may make the difference slightly negative.
    const long long allocated = std::max(0ll, end_.allocations - fifth_.allocations);
    s.allocations_per_record = static_cast<double>(allocated) / static_cast<double>(records_ - records_ / 5);
  }
  return s;
}

void add_latencies(sample& to, std::vector<double> nanoseconds) {
  std::sort(nanoseconds.begin(), nanoseconds.end());
  to.latency_p50_us = program::sorted_quantile(nanoseconds, 0.5) / 1e3;
  to.latency_p99_us = program::sorted_quantile(nanoseconds, 0.99) / 1e3;
}

}  // namespace weir::overhead
