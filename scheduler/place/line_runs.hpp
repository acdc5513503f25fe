#pragma once

#include <limits>
#include <utility>
#include <vector>

namespace weir {

// One of the runs of neighbouring slots that are to be laid on a line.
struct line_run {
  int length = 1;
  int lanes = 1;          // the run is cut as core_set::slices does
  std::vector<int> held;  // slots it has now, ascending
  std::vector<std::pair<int, int>>
      held_lanes;  // those of its lanes now that are runs: first slot and length, ascending
};

// The problem behind place(): runs of slots, disjoint, at the least placing_cost. A slot is a place in view.cores.
struct line_problem {
  std::vector<int> steps;                  // as steps_between(view); its size is the number of slots
  std::vector<line_run> runs;              // in the order that is kept where nothing speaks against it
  std::vector<std::pair<int, int>> links;  // pairs of runs that are better next to each other; each pair once

  int slots() const { return static_cast<int>(steps.size()); }
  int length(int run) const { return runs[static_cast<std::size_t>(run)].length; }
  int idle() const;  // slots that no run needs
};

// A cost beyond all others; two of them are still a number.
inline constexpr int impossible = std::numeric_limits<int>::max() / 2;

// What a run costs by the slot it begins at, however the others lie: placing_cost without what is apart. Refers to
// nothing of the problem.
class run_costs {
 public:
  explicit run_costs(const line_problem& problem);

  int at(int run, int first) const {
    const table& t = tables_[static_cast<std::size_t>(run)];
    const auto held = static_cast<std::size_t>(first - t.from);
    return crossing_[t.shape][static_cast<std::size_t>(first)] +
           (held < t.changed.size() ? t.changed[held] : t.all_new);
  }

 private:
  struct table {
    std::size_t shape = 0;     // which of crossing_
    int from = 0;              // the first slot of `changed`
    std::vector<int> changed;  // by first slot, where the run would overlap what it holds
    int all_new = 0;           // where it would not
  };

  std::vector<std::vector<int>> crossing_;  // by shape, by first slot; many runs have the same length and lanes
  std::vector<table> tables_;               // by run
};

}  // namespace weir
