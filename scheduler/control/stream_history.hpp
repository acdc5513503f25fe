#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/assessor.hpp"

namespace weir {

// How long invocations took over what models expected of them: the only place that compares the two. The history is of
// windows of about `window` records. Two answers come from it, neither of which a model can
// change afterwards.
//
// The costs of the last allotments as measured (assessment::cost), so that the one in force can be held against those
// before it. A window's cost has the median of each component's times over the model's, so that a late invocation does
// not count. It is for the inputs and the routing of its time; for others it is corrected by the ratio that the models
// expect.
//
// Whether following the stream would have paid. Where it swings faster than cores can follow, one allotment for all of
// it is better than the best for the present. For this a window keeps the work of each component: the mean seconds of
// its invocations as they would have been on one core. A component without invocations keeps the work of the window
// before. No invocation counts for more than twice the median: a late one is no swing. An allotment's cost in a window
// is its bottleneck as assessed now, each component's seconds times its work then over its work now.
//
// Not thread-safe.
class stream_history {
 public:
  static constexpr std::size_t window = 8;        // records: as many as a change needs to be told from noise
  static constexpr std::size_t windows = 64;      // 512 records, whose work is kept
  static constexpr std::size_t most_costs = 32;   // windows of the allotment in force: 256 records
  static constexpr std::size_t allotments = 8;    // the last ones whose cost is kept, besides the one in force
  static constexpr std::size_t lag = 2;           // windows from a change until cores have followed it
  static constexpr std::size_t foreseen_lag = 1;  // where the inputs of records that wait told of a change before
  static constexpr int fewest_times = 2;          // that the same move seemed right; once is no habit
  static constexpr double worth_following = 1.3;  // less is what a window's few records bring by chance
  static constexpr double clearly_better = 1.02;

  // Takes in what was invoked since the last call. Call it at every step. `looks_ahead`: cores follow the inputs of
  // records that wait. REQUIRES: view.current is in force.
  void take(const system_view& view, const assessor& by, bool looks_ahead = false);

  // Forgets all: other components, or other cores.
  void clear() { *this = {}; }

  struct cost {
    double mean = 0;     // as assessment::cost
    double error = 0;    // the standard error of the mean, relative to it
    double records = 0;  // that were measured
  };

  // The records that were measured of the allotment in force.
  double records(const system_view& view) const;

  // The cost of the allotment in force. Before its first window is complete it is as close to the models as the few
  // records allow. Nothing with less than two.
  std::optional<cost> cost_of_current(const system_view& view, const assessor& by) const;

  // The cost of an allotment that was in force before, for the inputs of now; nothing if it is not kept.
  std::optional<cost> cost_of(const allotment& before, const system_view& view, const assessor& by) const;

  // The allotments whose cost is kept, without the one in force; oldest first.
  std::vector<allotment> before() const;

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
  // The invocations of a component in a window.
  struct part {
    std::vector<time> times;  // of the first ones
    std::uint64_t count = 0;  // of all
  };
  // The facts about the stream of some time that models need, by component.
  struct stream {
    std::vector<typical_input> inputs;
    double visits;
  };
  struct entry {
    allotment given;
    cost seen;
    std::vector<stream> with;
  };

  static time time_of(const component_view& c, const invocation_sample& s);
  static std::vector<stream> stream_of(const system_view& view);
  static double ratio(const allotment& given, const system_view& now, const std::vector<stream>& then,
                      const assessor& by);
  static double typical(const std::vector<time>& times, bool is_doubted);
  static double records_in(const std::vector<part>& open, const system_view& view);
  static void add(part& to, const component_view& c, std::uint64_t fresh, std::size_t most);
  void keep_work(const system_view& view);
  void keep_cost(const system_view& view, const assessor& by);
  void leave_current(const system_view& view, const assessor& by);
  double cost_of_open(const system_view& view, const assessor& by, bool is_doubted) const;
  std::optional<cost> cost_of_windows(const system_view& view, const assessor& by, bool is_doubted) const;
  std::vector<std::vector<double>> costs_by_window(const system_view& view, const policy& rule,
                                                   const std::vector<allotment>& candidates) const;
  system_view with(const system_view& view, const std::vector<double>& work) const;

  allotment current_;                              // the one in force
  std::vector<std::uint64_t> seen_, inputs_seen_;  // by component
  std::vector<part> open_work_;                    // the window that is not complete, by component
  std::vector<part> open_cost_;                    // the same, but begun anew when an allotment comes into force
  std::deque<std::vector<double>> work_;           // of the complete ones, by component; oldest first
  std::size_t foreseen_for_ = 0;                   // windows for which it is remembered that a change was foreseen
  std::vector<double> costs_;                      // of the complete windows of the allotment in force, oldest first
  std::vector<stream> with_;                       // of the first of these
  std::vector<entry> entries_;                     // oldest first
};

// The times of a component on the allotment in force over those that its model, as it is now, expects.
struct measured_ratio {
  double mean = 1;   // by sums; 1 without invocations
  double error = 0;  // its standard error, relative to it; infinite with less than two
};
measured_ratio ratio_since_move(const component_view& c);

}  // namespace weir
