#pragma once

#include <array>
#include <span>

namespace weir {

// Whether a component still costs what it did: a cumulative sum test (Page, Biometrika 41, 1954) on standardised
// residuals, and a memory of the last observations to begin anew from. Plain data.
//
// With r = log(t / expected), s the scatter of the residuals and z = r / s, cut to +-4 so that no single one decides,
//
//   up = max(0, up + z - 1/2),   down = max(0, down - z - 1/2),   wide = max(0, wide + z^2 / 2 - 3/2)
//
// The first two see a level that moved by more than half a deviation, the last times that scatter more than they did.
// One above `threshold` is an alarm. Late invocations alarm as well, so an alarm is not a change yet: that is what most
// of the residuals since the sum was last zero have to say.
//
//   level   they are off by one factor: what was learnt holds when multiplied by it
//   shape   they are off, each by another factor: what was learnt is of no use
class drift {
 public:
  static constexpr int memory = 16;

  struct remembered {
    double x = 0;
    float seconds = 0, residual = 0;  // log(t / expected)
    int cores = 0;
  };

  enum class change { none, level, shape };
  struct verdict {
    change kind = change::none;
    double level = 0;  // median of log(t / expected) since the change
    int since = 0;     // how many observations came after it, `memory` at most; of none, after what may become one
  };

  // Takes one observation in and says what it proves; begins anew after a change. Where a surprise would prove nothing,
  // `counts` is false and the observation is only remembered.
  verdict add(const remembered& seen, double scatter, bool counts);

  // Begins to test anew; what is remembered stays.
  void restart() { up_ = down_ = wide_ = {}; }

  // How many observations are remembered: none from before a change.
  int remembered_count() const { return count_; }

  // The i-th of the last observations, 0 the newest. REQUIRES: i < remembered_count().
  const remembered& last(int i) const { return ring_[static_cast<std::size_t>((next_ + memory - 1 - i) % memory)]; }

  // Everything as numbers, and back. assign() returns false, changing nothing, unless they can come from numbers().
  static constexpr int size = 8 + 4 * memory;
  std::array<double, size> numbers() const;
  bool assign(std::span<const double, size> numbers);

 private:
  struct sum {
    float value = 0;
    int since = 0;  // observations since it was zero
    void add(double by);
  };
  verdict judge(int observed, double scatter) const;

  std::array<remembered, memory> ring_{};
  int next_ = 0, count_ = 0;
  sum up_, down_, wide_;
};

}  // namespace weir
