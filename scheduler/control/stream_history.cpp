#include "scheduler/control/stream_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {
namespace {

constexpr std::size_t most_times = 32;  // of a component in a window: more hardly change their mean
constexpr double most_over_median = 2;  // of a window: a late invocation is no swing

// Mean seconds of an invocation on one core, for the inputs of the view.
double work_now(const component_view& c) {
  double sum = 0, weight = 0;
  if (c.inputs.empty()) {
    for (const invocation_sample& s : c.recent) sum += c.model->mean(s.x, 1), weight += 1;
  } else {
    for (const typical_input& i : c.inputs) sum += i.weight * c.model->mean(i.x, 1), weight += i.weight;
  }
  return weight > 0 ? c.time_factor * sum / weight : 0;
}

// The mean seconds on one core, where no invocation counts as longer than `most_over_median` medians, over what the
// model expects for its input. REQUIRES: not empty.
template <typename Times>
double mean_without_late(const Times& times) {
  std::vector<double> ratios;
  for (const auto& t : times) ratios.push_back(t.over_expected);
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  double sum = 0;
  for (const auto& t : times) sum += t.expected * std::min(t.over_expected, most_over_median * *middle);
  return sum / static_cast<double>(times.size());
}

// An allotment's bottleneck when the work of each component is `factor` times what was assessed.
double bottleneck(const assessment& of, const allotment& given, const std::vector<double>& factor) {
  double slowest = 0, members = 0, members_then = 0;
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const double then = of.seconds[i] * factor[i];
    if (given.components[i].is_member())
      members += of.seconds[i], members_then += then;
    else
      slowest = std::max(slowest, then);
  }
  return members > 0 ? std::max(slowest, of.shared * members_then / members) : slowest;
}

std::size_t index_of_least(const std::vector<double>& of) {
  return static_cast<std::size_t>(std::min_element(of.begin(), of.end()) - of.begin());
}

// How often the second candidate became clearly better than the first, window by window.
int times_that_second_was_better(const std::vector<std::vector<double>>& costs) {
  int times = 0;
  bool was_better = false;
  for (const std::vector<double>& of : costs) {
    const bool is_better = of.size() > 1 && of[0] > stream_history::worth_following * of[1];
    times += is_better && !was_better;
    was_better = is_better;
  }
  return times;
}

// The mean cost of a simulated follower: it switches to the candidate that was clearly best `late` windows ago.
double cost_of_following(const std::vector<std::vector<double>>& costs, std::size_t late, double worth,
                         double move_cost) {
  std::size_t follower = index_of_least(costs.front());
  double sum = 0;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    if (k >= late) {
      const std::vector<double>& seen = costs[k - late];
      if (const std::size_t best = index_of_least(seen); seen[follower] > worth * seen[best]) {
        follower = best;
        sum += move_cost / static_cast<double>(stream_history::window);
      }
    }
    sum += costs[k][follower];
  }
  return sum / static_cast<double>(costs.size());
}

}  // namespace

stream_history::time stream_history::time_of(const component_view& c, const invocation_sample& s) {
  const double there = c.model->mean(s.x, s.cores), alone = c.model->mean(s.x, 1);
  return there > 0 && alone > 0 ? time{alone, s.seconds / there} : time{s.seconds, 1};
}

// By the component that had most.
double stream_history::records_in_open(const system_view& view) const {
  double most = 0;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (const double visits = view.components[i].visits; visits > 0)
      most = std::max(most, static_cast<double>(open_[i].count) / visits);
  return most;
}

void stream_history::take(const system_view& view, bool looks_ahead) {
  const std::size_t n = view.components.size();
  if (seen_.size() != n) {
    clear();
    for (const component_view& c : view.components) seen_.push_back(c.invocations);
    open_.resize(n);
  }
  if (looks_ahead &&
      std::ranges::any_of(view.components, [](const component_view& c) { return !c.next_inputs.empty(); }))
    foreseen_for_ = windows;
  for (std::size_t i = 0; i < n; ++i) {
    const component_view& c = view.components[i];
    const std::uint64_t fresh =
        std::min<std::uint64_t>(c.invocations - std::min(seen_[i], c.invocations), c.recent.size());
    seen_[i] = c.invocations;
    part& open = open_[i];
    open.count += fresh;
    for (auto s = c.recent.end() - static_cast<std::ptrdiff_t>(fresh); s != c.recent.end(); ++s)
      if (open.times.size() < most_times) open.times.push_back(time_of(c, *s));
  }
  if (records_in_open(view) >= static_cast<double>(window)) keep_work(view);
}

void stream_history::keep_work(const system_view& view) {
  std::vector<double> work;
  for (std::size_t i = 0; i < open_.size(); ++i)
    work.push_back(!open_[i].times.empty() ? mean_without_late(open_[i].times)
                   : work_.empty()         ? work_now(view.components[i])
                                           : work_.back()[i]);
  work_.push_back(std::move(work));
  if (work_.size() > windows) work_.pop_front();
  if (foreseen_for_ > 0) --foreseen_for_;
  open_.assign(open_.size(), {});
}

std::vector<std::vector<double>> stream_history::costs_by_window(const system_view& view, const policy& rule,
                                                                 const std::vector<allotment>& candidates) const {
  std::vector<double> present;
  for (const component_view& c : view.components) present.push_back(work_now(c));
  std::vector<assessment> assessed;
  for (const allotment& given : candidates) assessed.push_back(rule.assess(view, given));
  std::vector<std::vector<double>> costs(work_.size(), std::vector<double>(candidates.size()));
  std::vector<double> factor(present.size());
  for (std::size_t k = 0; k < work_.size(); ++k) {
    for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = present[i] > 0 ? work_[k][i] / present[i] : 1;
    for (std::size_t c = 0; c < candidates.size(); ++c) costs[k][c] = bottleneck(assessed[c], candidates[c], factor);
  }
  return costs;
}

// A swing is a return: the second candidate was better once before and then stopped being so. Otherwise this is a first
// change, which cores should follow, however dear that is. A stream that is known to swing needs no such proof, and
// there its follower changes for less.
std::optional<stream_history::compromise> stream_history::beats_following(const system_view& view, const policy& rule,
                                                                          const std::vector<allotment>& candidates,
                                                                          double move_cost, bool is_known) const {
  if (work_.size() < static_cast<std::size_t>(fewest_times) * (lag + 1) || candidates.empty() ||
      work_.back().size() != view.components.size())
    return {};
  const std::vector<std::vector<double>> costs = costs_by_window(view, rule, candidates);
  if (!is_known && times_that_second_was_better(costs) < fewest_times) return {};
  const double following = cost_of_following(costs, foreseen_for_ > 0 ? foreseen_lag : lag,
                                             is_known ? clearly_better : worth_following, move_cost);
  compromise result{0, std::vector<double>(candidates.size(), 0)};
  for (const std::vector<double>& of : costs)
    for (std::size_t c = 0; c < candidates.size(); ++c) result.costs[c] += of[c] / static_cast<double>(costs.size());
  result.index = index_of_least(result.costs);
  if (!(following > clearly_better * result.costs[result.index])) return {};
  return result;
}

system_view stream_history::with(const system_view& view, const std::vector<double>& work) const {
  system_view other = view;
  for (std::size_t i = 0; i < work.size(); ++i)
    if (const double present = work_now(view.components[i]); present > 0 && work[i] > 0)
      other.components[i].time_factor *= work[i] / present;
  return other;
}

system_view stream_history::with_mean_work(const system_view& view) const {
  std::vector<double> all(view.components.size(), 0);
  for (const std::vector<double>& work : work_)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += work[i] / static_cast<double>(work_.size());
  return with(view, all);
}

system_view stream_history::with_largest_work(const system_view& view) const {
  std::vector<double> all(view.components.size(), 0);
  for (const std::vector<double>& work : work_)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], work[i]);
  return with(view, all);
}

}  // namespace weir
