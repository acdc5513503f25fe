#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// The places for the next of at most `most` values, when `full` are full. One at first, since of many components some
// are observed only once.
inline std::size_t next_capacity(std::size_t full, std::size_t most) {
  return full == 0 ? 1 : std::min(std::max<std::size_t>(8, 2 * full), most);
}

// The predictor values since their last change. The next ones are expected to resemble them.
//
// A change is found when the last 8, 16, 32, 64, .. values differ in their mean from all values before by more than
// four standard errors. Then only these last values stay. Windows of exponentially growing size, of which the largest
// without a change is kept, follow Bifet and Gavalda (Learning from Time-Changing Data with Adaptive Windowing, SDM
// 2007). The error uses the larger scatter of the two (Welch's t, Biometrika 34, 1947), so that eight values that
// happen to be close do not look like a change.
//
// Why four: in simulations, three and a half moved cores twice as often without a cause, and four and a half found
// changes later. Values are compared as asinh(x), since the counts that predictors give span decades and may be zero.
//
// Constant space, allocated as it fills: the last 64 to 128 values are kept as they are. Those before are in blocks of
// 64, each reduced to eight means of an eighth in ascending order. Beyond `most` values the oldest block is dropped.
// Not thread-safe.
class steady_inputs {
 public:
  static constexpr std::size_t most = 2048;
  static constexpr std::size_t near = 6;         // as many as a move waits for (controller_options::patience)
  static constexpr std::size_t least_ahead = 4;  // three that happen to be alike are too frequent
  static constexpr std::size_t most_ahead = 24;  // values that ahead() makes use of; more are of a change after that

  void add(double x);  // may throw std::bad_alloc, having changed nothing
  // Allocates what the next add() may need; that add() then throws nothing.
  void make_room();

  // Detects a change among the queued inputs `next` (oldest first) and returns the inputs after it, or nothing. Only a
  // change near their beginning counts, since the inputs before it arrive first: of the first `near` at least
  // `least_ahead` must follow it.
  //
  // The comparison is the one of add(), and the change is where the values before and after differ most. Fewer values
  // will do here, since a wrong forecast is forgotten a moment later.
  std::optional<steady_inputs> ahead(std::span<const double> next) const;

  // How many values it holds; at most `most`.
  std::size_t count() const { return blocks_used_ * block_size + singles_.size(); }

  // At most eight values that represent all, each the mean of about an eighth of them in ascending order. The weights
  // sum to 1. Empty if there are no values.
  std::vector<typical_input> typical() const;

 private:
  static constexpr std::size_t block_size = 64, groups = 8, fewest = 8;

  // Moments of asinh(x).
  struct moments {
    double count = 0, mean = 0, squares = 0;  // the sum of squared differences from the mean
    void add(double value);
    void add(const moments& other);
    moments without(const moments& last) const;  // REQUIRES: `last` is a part of these, not all
    double variance() const { return count > 1 ? squares / (count - 1) : 0; }
  };

  struct single {
    double x, compared;  // asinh(x)
  };

  struct block {
    moments of;
    std::array<double, groups> x;  // means, ascending
  };

  // How many standard errors the means are apart; 0 if they are alike.
  static double apart(const moments& last, const moments& before);
  static bool differ(const moments& last, const moments& before);
  const block& older(std::size_t back) const {
    return blocks_[(next_block_ + blocks_.size() - 1 - back) % blocks_.size()];
  }
  void close_block();
  void keep_last(std::size_t count);  // drops all singles except the last `count`
  moments of_all() const;
  void look_for_change();

  std::vector<single> singles_;  // the last values, oldest first; 2 * block_size at most
  std::vector<block> blocks_;    // a ring buffer of most / block_size; empty until the first is closed
  std::size_t next_block_ = 0, blocks_used_ = 0;
  double only_ = 0;  // while all are equal, as without a predictor, nothing has changed
  bool all_same_ = true;
};

}  // namespace weir
