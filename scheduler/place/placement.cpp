#include <weir/scheduler/place/placement.hpp>

#include <algorithm>

#include "scheduler/place/arrangement.hpp"
#include "scheduler/place/group_place.hpp"
#include "scheduler/place/placing_cost.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

bool is_run(const std::vector<int>& slots) {
  return !slots.empty() && slots.back() - slots.front() + 1 == static_cast<int>(slots.size());
}

// The run of a share. Cores that it had before, and that the run may no longer use, have no slot.
line_run run_of(int cores, int lanes, const share& before, const core_set& all) {
  line_run run{cores, lanes, {}, {}};
  if (before.cores.empty()) return run;
  run.held.reserve(to_index(before.cores.size()));
  auto slot = all.begin();
  const int small = before.cores.size() / before.width, larger = before.cores.size() % before.width;
  auto core = before.cores.begin();
  for (int lane = 0; core != before.cores.end(); ++lane) {
    const int length = small + (lane < larger ? 1 : 0);
    const std::size_t held = run.held.size();
    for (int k = 0; k < length; ++k, ++core) {
      if (slot == all.end() || *slot != *core) slot = std::lower_bound(slot, all.end(), *core);
      if (slot != all.end() && *slot == *core) run.held.push_back(static_cast<int>(slot++ - all.begin()));
    }
    if (run.held.size() - held == to_index(length) && run.held.back() - run.held[held] + 1 == length)
      run.held_lanes.emplace_back(run.held[held], length);
  }
  return run;
}

// Leaves out unheld slots at the end while there are more idle ones than the shares need to lie well. The time of
// arrange() is proportional to runs times idle slots.
void leave_out_idle(line_problem& problem) {
  constexpr int enough = 100'000;  // a fifth of a millisecond
  int used = 0;
  for (const line_run& r : problem.runs)
    if (!r.held.empty()) used = std::max(used, r.held.back() + 1);
  const int idle = enough / static_cast<int>(problem.runs.size() + 1);
  const int least = problem.slots() - problem.idle() + idle;
  if (problem.slots() > std::max(used, least)) problem.steps.resize(static_cast<std::size_t>(std::max(used, least)));
}

// Whether every run has as many slots as it needs, in as many lanes and next to each other. Then nothing moves: a
// better place alone is no reason, since no model says how much it would gain.
bool is_in_force(const line_problem& problem, const std::vector<int>& lanes_before) {
  for (std::size_t i = 0; i < problem.runs.size(); ++i) {
    const line_run& r = problem.runs[i];
    if (static_cast<int>(r.held.size()) != r.length || !is_run(r.held) || lanes_before[i] != r.lanes) return false;
  }
  return true;
}

// The allotment whose owners, and then the group, begin at these places among the cores.
allotment laid_from(const std::vector<int>& firsts, const core_counts& counts, const group_place& group,
                    const system_view& view) {
  auto first = firsts.begin();
  allotment result;
  result.components.resize(counts.components.size());
  for (std::size_t i = 0; i < counts.components.size(); ++i) {
    if (const auto [cores, lanes] = counts.components[i]; cores > 0)
      result.components[i] = {view.cores.part(*first++, cores), lanes};
    else if (runs_outside(view, i))
      result.components[i] = {{}, view.components[i].blocking, true};
  }
  if (group.cores > 0)
    result.shared = view.cores.part(*first, group.cores);
  else if (group.host >= 0)
    result.shared = {result.components[static_cast<std::size_t>(group.host)].cores[0]};
  return result;
}

}  // namespace

allotment place(const core_counts& counts, const system_view& view) {
  const std::size_t n = counts.components.size();
  const share none;
  const allotment& before = view.current;
  const group_place group = place_of_group(counts, view);

  line_problem problem;
  problem.steps = steps_between(view);
  std::vector<int> run_of_component(n, -1), lanes_before;
  const auto add = [&](int cores, int lanes, const share& held) {
    problem.runs.push_back(run_of(cores, lanes, held, view.cores));
    lanes_before.push_back(held.width);
    return static_cast<int>(problem.runs.size()) - 1;
  };
  for (std::size_t i = 0; i < n; ++i)
    if (const auto [cores, lanes] = counts.components[i]; cores > 0)
      run_of_component[i] = add(cores, lanes, i < before.components.size() ? before.components[i] : none);
  // A member runs on one core, so for placing the group is like lanes of one core each.
  if (group.cores > 0)
    add(group.cores, group.cores, before.shared_host() < 0 ? share{before.shared, before.shared.size()} : share{});
  for (const auto& [a, b] : stream_neighbours(view))
    if (const int one = run_of_component[static_cast<std::size_t>(a)],
        other = run_of_component[static_cast<std::size_t>(b)];
        one >= 0 && other >= 0)
      problem.links.emplace_back(one, other);

  std::vector<int> firsts;
  if (is_in_force(problem, lanes_before)) {
    for (const line_run& r : problem.runs) firsts.push_back(r.held.front());
  } else {
    leave_out_idle(problem);
    firsts = arrange(problem);
  }
  return laid_from(firsts, counts, group, view);
}

}  // namespace weir
