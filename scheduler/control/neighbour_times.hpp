#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <weir/model/observation.hpp>

namespace weir {

// Finds out from observations alone which components ran together. For some invocations of each it gives how many cores
// each component kept busy, on average over the time of the invocation. Other invocations of the same component count,
// too. So it costs nothing where records run. Not thread-safe.
//
// Observations may come in any order, as those of several workers do. A few invocations of each component at a time are
// followed; the others count as their neighbours alone. The result of one is given once no neighbour can still be
// running: when the time of the longest invocation seen has passed since its end.
//
// An invocation that is followed may have begun before all that is remembered of a component. Then the mean over the
// part that is remembered counts. Constant memory: 64 invocations of each component, 1.5 KB, allocated as they come.
// add() takes constant time.
class neighbour_times {
 public:
  static constexpr std::size_t most_components = 16;
  static constexpr std::size_t remembered = 64;
  static constexpr std::size_t most_followed = 4;  // of a component: more give more results a second

  // REQUIRES: at most most_components.
  explicit neighbour_times(std::size_t components) : all_(components) {}

  // Whether the next invocation of this component is followed.
  bool follows(std::size_t component) const { return all_[component].followed.size() < most_followed; }

  // Takes an invocation in. `ratio`: its time over the time expected of it; read only if follows() was true.
  void add(const observation& seen, double ratio);

  // Gives the invocations whose neighbours are known, once each. To be called when all observations until now are in.
  using taker = std::function<void(std::size_t component, double ratio, std::span<const double> running)>;
  void settle(const taker& take);

  // Follows none of the invocations that ended so far.
  void forget();

 private:
  struct interval {
    double begin, end;  // seconds
    int cores;
  };
  struct invocation {
    interval when;
    double ratio;
    std::array<double, most_components> busy{};  // core seconds meanwhile
  };
  struct entry {
    std::vector<interval> last;  // `remembered` at most
    std::size_t next = 0;        // the oldest of them, once they are as many
    std::vector<invocation> followed;
  };

  double busy_in_the_past(const entry& other, const interval& during) const;

  std::vector<entry> all_;
  double longest_ = 0, latest_ = 0;  // seconds: the longest invocation, and the latest end
  double followed_until_ = 0;        // seconds: the latest end of one that is followed
};

}  // namespace weir
