#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "scheduler/place/placing_cost.hpp"

namespace weir {

// A run of neighbouring slots that has to be laid on a line. Plain data.
struct line_run {
  int length = 1;
  int lanes = 1;                                // the run is cut as core_set::slices does
  std::vector<int> held;                        // slots it has now, ascending
  std::vector<std::pair<int, int>> held_lanes;  // its present lanes that are runs: first slot and length, ascending
};

// The problem behind place(): lay disjoint runs of slots at the least placing_cost. A slot is a place in view.cores.
// Plain data.
struct line_problem {
  std::vector<int> steps;                  // as steps_between(view); its size is the number of slots
  std::vector<line_run> runs;              // in the order to keep unless another costs less
  std::vector<std::pair<int, int>> links;  // pairs of runs that should be neighbours; each pair once

  int slots() const { return static_cast<int>(steps.size()); }
  int length(int run) const { return runs[static_cast<std::size_t>(run)].length; }
  int idle() const;  // slots that no run needs
};

// A cost above all others; the sum of two does not overflow.
inline constexpr int impossible = std::numeric_limits<int>::max() / 2;

// The cost of a run by its first slot, independent of the others: placing_cost without the part for runs that are
// apart. Copies all it needs, so the problem need not outlive it.
class run_costs {
 public:
  explicit run_costs(const line_problem& problem);

  int at(int run, int first) const {
    const table& t = tables_[static_cast<std::size_t>(run)];
    const auto f = static_cast<std::size_t>(first), held = static_cast<std::size_t>(first - t.from);
    const int changed = held < t.changed.size() ? t.changed[held] : t.all_new;
    const int steps = before_[f + static_cast<std::size_t>(t.length) - 1] - before_[f];
    if (steps == 0) return changed;
    const int inside = t.lanes == 1 ? steps : t.lanes == t.length ? 0 : steps - between_lanes(t, first);
    return changed + placing_cost::crossing_weight * steps + placing_cost::lane_crossing_weight * inside;
  }

 private:
  struct table {
    int length = 0, lanes = 0;
    int from = 0;              // the first slot of `changed`
    std::vector<int> changed;  // by first slot, where the run overlaps slots that it holds
    int all_new = 0;           // elsewhere
  };

  int between_lanes(const table& run, int first) const;

  std::vector<int> steps_, before_;  // by slot: the step from the slot before, and the sum of all steps up to it
  std::vector<int> next_step_;       // by slot: the first from there on that has a step
  std::vector<table> tables_;        // by run
};

}  // namespace weir
