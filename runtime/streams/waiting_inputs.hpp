#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <weir/threads/primitives.hpp>

namespace weir::detail {

// The predictor values of the records that wait in a stream: a forecast for the scheduler. One writer at a time puts
// values in; any thread may read. All relaxed: now and then a reader gets the value of another record, which
// makes a forecast a little worse, and nothing else.
class waiting_inputs {
 public:
  // `places`: of the stream. REQUIRES: places > 0.
  explicit waiting_inputs(std::size_t places) : places_(places), x_(new threads::atomic<double>[places]) {}

  // Sets the values of records, from the number of the first in the stream on. NaN: not known. Records that were left
  // out are not known, nor are those before them.
  void set(std::uint64_t first, std::span<const double> values) {
    if (first != next_) known_from_.store(first, std::memory_order_relaxed);
    for (const double x : values) x_[first++ % places_].store(x, std::memory_order_relaxed);
    next_ = first;
  }

  // Reads the values of `count` records, at most `most`, from the number of the oldest on, up to one that is not known.
  void read(std::uint64_t oldest, std::size_t count, std::size_t most, std::vector<double>& to) const {
    to.clear();
    if (oldest < known_from_.load(std::memory_order_relaxed)) return;
    for (std::size_t i = 0; i < std::min({count, most, places_}); ++i) {
      const double x = x_[(oldest + i) % places_].load(std::memory_order_relaxed);
      if (!std::isfinite(x) || x < 0) return;  // models know no such input
      to.push_back(x);
    }
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  const std::size_t places_;
  const std::unique_ptr<threads::atomic<double>[]> x_;
  std::uint64_t next_ = none;  // the writer's
  threads::atomic<std::uint64_t> known_from_{none};
};

}  // namespace weir::detail
