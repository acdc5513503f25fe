#pragma once

#include <limits>
#include <optional>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/platform.hpp"

namespace weir::detail {

// The share of the cores in use that others had: other processes, and the hypervisor. It is what all cores computed
// less what this process and its children did, also those that still run. sample() is for one thread at a time, the
// machine's controller; the rest is thread-safe.
//
// The system may not tell what its cores compute, or tell less than this process alone has computed. Then the time that
// threads of this process waited for cores stands in, less the time that this process used them.
class foreign_load {
 public:
  // A run's texts and models take notice of a share of at least so much (run_report::notable_foreign_load).
  static constexpr double notable = 0.1;

  explicit foreign_load(const platform& p) : platform_(p) {}

  // Ends a stretch of time, unless that would be shorter than 0.2 s: the system counts in hundredths of a second for
  // each processing unit. With other cores than before a stretch begins anew. Throws std::bad_alloc.
  void sample(const core_set& cores);

  // The share in the last stretch, 0 to 1. NaN: unknown, or the stretch ended more than a second ago.
  double latest() const;
  bool is_notable() const { return is_notable_.load(std::memory_order_relaxed); }  // a hint for who measures

 private:
  static constexpr double shortest = 0.2, longest_ago = 1;  // seconds

  struct snapshot {
    double time = 0;
    core_use use;
    double delayed = std::numeric_limits<double>::quiet_NaN();
  };
  double share_until(snapshot& now);

  const platform& platform_;
  std::optional<snapshot> before_;
  core_set cores_;             // of the stretch
  bool needs_delays_ = false;  // the last stretch could not be told without
  // Relaxed: each value stands alone, and a reader may have those of the look before.
  threads::atomic<double> latest_{std::numeric_limits<double>::quiet_NaN()};
  threads::atomic<double> sampled_at_{0};
  threads::atomic<bool> is_notable_{false};
};

}  // namespace weir::detail
