#pragma once

#include <array>
#include <span>

namespace weir {

// Detects a change of a component's cost. It is a cumulative sum test on standardised residuals (Page, Biometrika 41,
// 1954), with a memory of the last observations from which a model can start again. Plain data.
//
// Let r = log(t / expected), and s the scatter of the residuals. Then z = r / s, clamped to +-4 so that no single
// residual decides. Each observation updates three sums, which are never negative:
//
//   up += z - 1/2,   down += -z - 1/2,   wide += z^2 / 2 - 3/2.
//
// The first two detect a level that moved by more than half a deviation. The last detects times that scatter more than
// they did. A sum above `threshold` is an alarm. Late invocations alarm as well, so an alarm alone is no change. Most
// of the residuals since the sum was last zero must confirm it, as one of two kinds:
//
//   `level`  They are off by one common factor: what was learnt holds when multiplied by it.
//   `shape`  They are off by different factors: what was learnt is of no use.
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
    int since = 0;     // observations after the change, `memory` at most; for none: since a change that may yet show
  };

  // Takes one observation in and returns the change that it proves, if any; after a change the test starts anew. If
  // `counts` is false, the observation is only remembered. Pass false where a surprise would prove nothing.
  verdict add(const remembered& seen, double scatter, bool counts);

  // Starts the test anew. Remembered observations stay.
  void restart() { up_ = down_ = wide_ = {}; }

  // The common factor of all remembered observations, as a logarithm. It is 0 unless there are `memory` of them that
  // counted, of one p, and nearly all are off to one side by more than they scatter about it. Residuals that are off
  // for long raise the scatter, in units of which add() sees nothing then.
  double bias() const;

  // How many observations are remembered. All of them came after the last change.
  int remembered_count() const { return count_; }

  // The i-th of the last observations, 0 the newest. REQUIRES: i < remembered_count().
  const remembered& last(int i) const { return ring_[static_cast<std::size_t>((next_ + memory - 1 - i) % memory)]; }

  // Everything as numbers, and back. assign() returns false and changes nothing unless numbers() can have given them.
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
  int counted_ = 0;  // of the last ones, those without one between them that did not count; `memory` at most
  sum up_, down_, wide_;
};

}  // namespace weir
