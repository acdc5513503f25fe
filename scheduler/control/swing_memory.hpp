#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "scheduler/policies/policy.hpp"
#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// What the components had to do over the last few hundred records, and so whether following the stream would have paid:
// where it swings faster than cores can follow, one division for all of it is better than the best for the present.
//
// The memory is of windows of about `window` records each. A window keeps the work of each component, the mean seconds
// of its invocations as they would have been on one core; where it had none, that of the window before. None counts as
// later than twice the median, over what the model expects of its input: a late invocation is no swing. So a change of
// inputs and one of the component itself count alike. An allotment's cost in a window is its bottleneck as the rule
// assesses it now, each component's seconds times its work then over its work now.
//
// Not thread-safe.
class swing_memory {
 public:
  static constexpr std::size_t window = 8;        // records: as many as a change needs to be told from noise
  static constexpr std::size_t windows = 64;      // 512 records
  static constexpr std::size_t lag = 2;           // windows from a change until cores have followed it
  static constexpr std::size_t foreseen_lag = 1;  // where the inputs of records that wait told of a change before
  static constexpr int fewest_times = 2;          // that the same move seemed right; once is no habit
  static constexpr double worth_following = 1.3;  // less is what a window's few records bring by chance
  static constexpr double clearly_better = 1.02;

  // Takes in what was invoked since the last call. Call it at every step. `looks_ahead`: cores follow the inputs of
  // records that wait.
  void look(const system_view& view, bool looks_ahead = false);

  // Forgets all: other components, or other cores.
  void clear();

  struct steady {
    std::size_t index = 0;      // of the candidate
    std::vector<double> costs;  // mean seconds a record, by candidate
  };

  // Returns the candidate with the lowest cost over the whole memory, if following the stream would have cost clearly
  // more; else nothing. Following means a move to the best candidate of each window, `lag` windows late, or
  // `foreseen_lag`. The first candidate is the allotment in force, the second the best one for the present. The second
  // must also have been clearly better in an earlier part of the memory, unless `is_known`: the allotment in force was
  // chosen by this function. `move_cost` is in seconds.
  std::optional<steady> steadier_than_following(const system_view& view, const policy& rule,
                                                const std::vector<allotment>& candidates, double move_cost,
                                                bool is_known = false) const;

  // The view with the mean work of the whole memory in place of the present, or with the largest of each component:
  // what an allotment for all of it may be decided for.
  system_view with_mean_work(const system_view& view) const;
  system_view with_largest_work(const system_view& view) const;

 private:
  system_view with(const system_view& view, const std::vector<double>& work) const;

  // One invocation: the seconds that its model expects on one core, and how many times as long as expected it took.
  struct time {
    double expected, over_expected;
  };
  struct part {
    std::vector<time> times;  // of the first invocations
    std::uint64_t count = 0;  // of all
  };
  static time time_of(const component_view& c, const invocation_sample& s);

  std::vector<std::uint64_t> seen_;       // invocations, by component
  std::vector<part> open_;                // the window that is not complete
  std::deque<std::vector<double>> work_;  // oldest first
  std::size_t foreseen_for_ = 0;          // windows for which it is remembered that a change was foreseen
};

}  // namespace weir
