#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "scheduler/view/system_view.hpp"

namespace weir {

// The predictor values that came since they last changed: what the next ones are expected to be like.
//
// They have changed when the last 8, 16, 32, 64, .. differ in their mean by more than four standard errors
// from all that came before those; then only these stay. Windows of exponentially growing size that keep the largest
// that is still one follow Bifet and Gavalda (Learning from Time-Changing Data with Adaptive Windowing, SDM 2007). The
// error takes in the larger scatter of the two (Welch's t, Biometrika 34, 1947), so that eight values that happen to be
// close to each other do not look like a change. Four: in simulations three and a half moved cores twice as often
// without a cause, and four and a half found changes later. They are compared as asinh(x): what predictors count spans
// decades, and may be zero.
//
// Constant space: the last 64 to 128 as they are, before them blocks of 64, of which the eight means of an eighth each
// in ascending order are kept; beyond `most` the oldest goes. Not thread-safe.
class steady_inputs {
 public:
  static constexpr std::size_t most = 2048;

  void add(double x);

  // How many there are; at most `most`.
  std::size_t count() const { return blocks_used_ * block_size + single_; }

  // At most eight values that stand for them, each the mean of about an eighth of them in ascending order; the weights
  // sum to 1. Empty without any.
  std::vector<typical_input> typical() const;

 private:
  static constexpr std::size_t block_size = 64, groups = 8, fewest = 8;

  // Of asinh(x).
  struct moments {
    double count = 0, mean = 0, squares = 0;  // the sum of squared differences from the mean
    void add(double value);
    void add(const moments& other);
    double variance() const { return count > 1 ? squares / (count - 1) : 0; }
  };

  struct block {
    moments of;
    std::array<double, groups> x;  // means, ascending
  };

  static bool differ(const moments& last, const moments& before);
  const block& older(std::size_t back) const {
    return blocks_[(next_block_ + blocks_.size() - 1 - back) % blocks_.size()];
  }
  void close_block();
  void keep_last(std::size_t count);  // of the singles
  void look_for_change();

  std::array<double, 2 * block_size> singles_;   // the last, in the order in which they came
  std::array<double, 2 * block_size> compared_;  // asinh of each
  std::size_t single_ = 0;
  std::array<block, most / block_size> blocks_;  // a ring
  std::size_t next_block_ = 0, blocks_used_ = 0;
  double only_ = 0;  // while all are the same, as of a box without a predictor, nothing has changed
  bool all_same_ = true;
};

}  // namespace weir
