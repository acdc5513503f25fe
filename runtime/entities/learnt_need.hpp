#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How much of a resource an invocation of a component will need, learnt from what earlier ones used. The bound at x is
// the line by least squares through the last 64 amounts over their predictor values, times the quantile of their ratios
// to that line, times `safety`. The line does not fall with x, and is nowhere below the least of the amounts. A
// quantile suffices where several invocations run, since few of them exceed it together; `safety` is for where one
// does. Constant space. Thread-safe.
class learnt_need {
 public:
  static constexpr std::size_t kept = 64, enough = 4;
  static constexpr double quantile = 0.95, safety = 1.1;

  void note(double x, std::int64_t used) noexcept;
  // Nothing until `enough` amounts are known, and for an x that is not finite.
  std::optional<double> bound_at(double x) const noexcept;

 private:
  struct line {
    double at_0 = 0, slope = 0, least = 0;
    double at(double x) const;
  };
  void fit() WEIR_REQUIRES(mutex_);

  struct use {
    double x = 0, amount = 0;
  };
  mutable WEIR_LOCK(needs) mutex_;
  std::array<use, kept> last_ WEIR_GUARDED_BY(mutex_){};
  std::size_t noted_ WEIR_GUARDED_BY(mutex_) = 0;
  line line_ WEIR_GUARDED_BY(mutex_);
  double over_line_ WEIR_GUARDED_BY(mutex_) = 1;  // the quantile; 1 at least
};

}  // namespace weir::detail
