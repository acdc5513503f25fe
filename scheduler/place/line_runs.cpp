#include "scheduler/place/line_runs.hpp"

#include <algorithm>
#include <numeric>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// The lanes of a run as core_set::slices cuts them: first `larger` lanes of small + 1 slots, then lanes of `small`.
struct lane_shape {
  int small, larger, lanes;

  explicit lane_shape(const line_run& run)
      : small(run.length / run.lanes), larger(run.length % run.lanes), lanes(run.lanes) {}
  int smaller_from() const { return larger * (small + 1); }
  bool is_edge(int offset) const {
    return offset < smaller_from() ? offset % (small + 1) == 0 : (offset - smaller_from()) % small == 0;
  }
};

// Adds to sums[f - from], for each f of [from, to], the values at `count` slots: f + offset and every stride-th after
// it. Two f that are a stride apart differ in two of them.
template <typename Value>
void add_along(std::vector<int>& sums, int from, int to, int offset, int stride, int count, Value value) {
  if (count <= 0) return;
  for (int start = from; start < from + stride && start <= to; ++start) {
    int sum = 0;
    for (int k = 0; k < count; ++k) sum += value(start + offset + k * stride);
    for (int f = start;; f += stride) {
      sums[to_index(f - from)] += sum;
      if (f + stride > to) break;
      sum += value(f + offset + count * stride) - value(f + offset);
    }
  }
}

}  // namespace

int line_problem::idle() const {
  return std::accumulate(runs.begin(), runs.end(), slots(),
                         [](int left, const line_run& r) { return left - r.length; });
}

run_costs::run_costs(const line_problem& problem) : steps_(problem.steps) {
  const int slots = problem.slots();
  before_.resize(steps_.size(), 0);
  std::partial_sum(steps_.begin(), steps_.end(), before_.begin());
  next_step_.assign(steps_.size() + 1, slots);
  for (int slot = slots; slot-- > 0;)
    next_step_[to_index(slot)] = steps_[to_index(slot)] > 0 ? slot : next_step_[to_index(slot) + 1];

  std::vector<int> lane_at(steps_.size() + 1, 0);  // length of the held lane that begins there
  tables_.reserve(problem.runs.size());
  for (const line_run& run : problem.runs) {
    table& t = tables_.emplace_back();
    t.length = run.length;
    t.lanes = run.lanes;
    const lane_shape shape(run);
    t.all_new = placing_cost::handed_over_weight * run.length;
    if (run.held.empty()) continue;
    t.from = std::max(0, run.held.front() - run.length + 1);
    const int last = std::min(slots - run.length, run.held.back());
    if (last < t.from) continue;
    for (const auto& [first, length] : run.held_lanes) lane_at[to_index(first)] = length;
    std::vector<int> same(to_index(last - t.from + 1), 0);  // slots in lanes that stay as they are, by first slot
    const auto lane_of = [&](int length) {
      return [&lane_at, length](int slot) { return lane_at[to_index(slot)] == length ? length : 0; };
    };
    add_along(same, t.from, last, 0, shape.small + 1, shape.larger, lane_of(shape.small + 1));
    add_along(same, t.from, last, shape.smaller_from(), shape.small, shape.lanes - shape.larger, lane_of(shape.small));
    auto low = run.held.begin(), high = low;  // bounds of the held slots inside the run
    t.changed.reserve(same.size());
    for (int first = t.from; first <= last; ++first) {
      while (low != run.held.end() && *low < first) ++low;
      while (high != run.held.end() && *high < first + run.length) ++high;
      const int kept = static_cast<int>(high - low), regrouped = kept - same[to_index(first - t.from)];
      t.changed.push_back(placing_cost::handed_over_weight * (run.length - kept) +
                          placing_cost::regrouped_weight * regrouped);
    }
    for (const auto& [first, length] : run.held_lanes) lane_at[to_index(first)] = 0;
  }
}

// The steps between two lanes of a run.
int run_costs::between_lanes(const table& run, int first) const {
  const lane_shape shape({run.length, run.lanes, {}, {}});
  int sum = 0;
  for (int slot = next_step_[to_index(first) + 1]; slot < first + run.length; slot = next_step_[to_index(slot) + 1])
    if (shape.is_edge(slot - first)) sum += steps_[to_index(slot)];
  return sum;
}

}  // namespace weir
