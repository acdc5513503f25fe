#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace weir::overhead {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The result of one run of one row. NaN: the row does not measure it.
struct sample {
  double seconds = unknown;  // from the source's first record to the last at the sink
  double records_per_second = unknown;
  double steady_records_per_second = unknown;  // over the second half of the records
  double cpu_ns_per_record = unknown;          // of all threads of the process
  double switches_per_record = unknown;        // context switches, voluntary or not
  double allocations_per_record = unknown;     // see allocations.hpp; without the first fifth of the records
  double latency_p50_us = unknown, latency_p99_us = unknown;
  double cpu_percent_of_one_core = unknown;
  double context_switches = unknown;
  double allocations_per_component = unknown, bytes_per_component = unknown;
};

// The process's use of the machine so far.
struct usage {
  std::chrono::steady_clock::time_point at;
  double cpu_seconds = 0;
  long long switches = 0, allocations = 0;
};
usage usage_now();

// Seconds, rate, CPU time and switches of `records` records between two moments.
sample sample_of(const usage& from, const usage& to, std::int64_t records);

// Measures and checks one run: the source reports its beginning, the sink every record. It costs all implementations
// the same: one or two comparisons per record.
//
// The source calls begin() before the first see(). Calls of see() are one at a time, from any thread; the other
// functions are called after the run. The implementation that moves records from the source to the sink must order
// these calls.
class meter {
 public:
  // `in_order`: records must come in the order of their numbers 0, 1, 2, ..; otherwise each once in any order.
  meter(std::int64_t records, bool in_order);

  void begin();

  // `right`: the boxes' result is the expected one.
  void see(std::int64_t index, bool right) {
    right_ = right_ && right;
    ordered_ = ordered_ && index == seen_;
    const auto n = static_cast<std::uint64_t>(index);
    sum_ += n;
    squares_ += n * n;
    if (++seen_ == next_mark_) mark();
  }

  // Throws std::runtime_error, naming `who`, unless every record came once, right, and in order if required.
  sample result(const std::string& who) const;

 private:
  void mark();

  const std::int64_t records_;
  const bool in_order_;
  bool right_ = true, ordered_ = true;
  std::int64_t seen_ = 0, next_mark_;
  std::uint64_t sum_ = 0, squares_ = 0;  // modulo 2^64: a lost or repeated record changes one of them
  usage begun_, fifth_, half_, end_;
};

// Adds latencies, each in nanoseconds; the sample gets their median and 99th percentile.
void add_latencies(sample& to, std::vector<double> nanoseconds);

// The present time as records carry it: nanoseconds of the steady clock.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace weir::overhead
