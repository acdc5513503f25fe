#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// The work of the stream over time: whether following it would have paid. Where it swings faster than cores can follow,
// one allotment for all of it is better than the best for the present. The history is of windows of about `window`
// records, each with the work of each component: the mean seconds of its invocations as they would have been on one
// core. A component without invocations keeps the work of the window before. No invocation counts for more than twice
// the median: a late one is no swing. An allotment's cost in a window is its bottleneck as assessed now, each
// component's seconds times its work then over its work now.
//
// Not thread-safe.
class stream_history {
 public:
  static constexpr std::size_t window = 8;        // records: as many as a change needs to be told from noise
  static constexpr std::size_t windows = 64;      // 512 records
  static constexpr std::size_t lag = 2;           // windows from a change until cores have followed it
  static constexpr std::size_t foreseen_lag = 1;  // where the inputs of records that wait told of a change before
  static constexpr int fewest_times = 2;          // that the same move seemed right; once is no habit
  static constexpr double worth_following = 1.3;  // less is what a window's few records bring by chance
  static constexpr double clearly_better = 1.02;

  // Takes in the invocations since the last call. Call it at every step. `looks_ahead`: cores follow the inputs of
  // records that wait. REQUIRES: view.current is in force.
  void take(const system_view& view, bool looks_ahead = false);

  // Forgets all: other components, or other cores.
  void clear() { *this = {}; }

  struct compromise {
    std::size_t index = 0;      // of the candidate
    std::vector<double> costs;  // mean seconds a record, by candidate
  };

  // Returns the candidate with the lowest cost over the whole history, if following the stream would have cost clearly
  // more; else nothing. Following means a move to the best candidate of each window, `lag` windows late, or
  // `foreseen_lag`. The first candidate is the allotment in force, the second the best one for the present. The second
  // must also have been clearly better in an earlier part of the history, unless `is_known`: the allotment in force was
  // chosen by this function. `move_cost` is in seconds.
  std::optional<compromise> beats_following(const system_view& view, const policy& rule,
                                            const std::vector<allotment>& candidates, double move_cost,
                                            bool is_known = false) const;

  // The view with the mean work of the whole history in place of the present, or with the largest of each component:
  // views that a compromise may be decided for.
  system_view with_mean_work(const system_view& view) const;
  system_view with_largest_work(const system_view& view) const;

 private:
  // One invocation: the seconds that its model expects on one core, and how many times as long as expected it took.
  struct time {
    double expected, over_expected;
  };
  // The invocations of a component in the window that is not complete.
  struct part {
    std::vector<time> times;  // of the first ones
    std::uint64_t count = 0;  // of all
  };

  static time time_of(const component_view& c, const invocation_sample& s);
  double records_in_open(const system_view& view) const;
  void keep_work(const system_view& view);
  std::vector<std::vector<double>> costs_by_window(const system_view& view, const policy& rule,
                                                   const std::vector<allotment>& candidates) const;
  system_view with(const system_view& view, const std::vector<double>& work) const;

  std::vector<std::uint64_t> seen_;       // invocations, by component
  std::vector<part> open_;                // the window that is not complete, by component
  std::deque<std::vector<double>> work_;  // of the complete ones, by component; oldest first
  std::size_t foreseen_for_ = 0;          // windows for which it is remembered that a change was foreseen
};

}  // namespace weir
