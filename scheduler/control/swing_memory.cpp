#include "scheduler/control/swing_memory.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

swing_memory::time swing_memory::time_of(const component_view& c, const invocation_sample& s) {
  const double there = c.model->mean(s.x, s.cores), alone = c.model->mean(s.x, 1);
  return there > 0 && alone > 0 ? time{alone, s.seconds / there} : time{s.seconds, 1};
}

void swing_memory::clear() {
  seen_.clear();
  open_.clear();
  work_.clear();
  foreseen_for_ = 0;
}

void swing_memory::look(const system_view& view, bool looks_ahead) {
  const std::size_t n = view.components.size();
  if (seen_.size() != n) {
    clear();
    for (const component_view& c : view.components) seen_.push_back(c.invocations);
    open_.resize(n);
  }
  if (looks_ahead &&
      std::ranges::any_of(view.components, [](const component_view& c) { return !c.next_inputs.empty(); }))
    foreseen_for_ = windows;
  double records = 0;  // in the open window, by the component that had most
  for (std::size_t i = 0; i < n; ++i) {
    const component_view& c = view.components[i];
    const std::uint64_t fresh = c.invocations - std::min(seen_[i], c.invocations);
    seen_[i] = c.invocations;
    const auto held = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(fresh, c.recent.size()));
    for (auto s = c.recent.end() - held; s != c.recent.end() && open_[i].times.size() < most_times; ++s)
      open_[i].times.push_back(time_of(c, *s));
    open_[i].count += static_cast<std::uint64_t>(held);
    if (c.visits > 0) records = std::max(records, static_cast<double>(open_[i].count) / c.visits);
  }
  if (records < static_cast<double>(window)) return;
  std::vector<double> work(n);
  for (std::size_t i = 0; i < n; ++i)
    work[i] = !open_[i].times.empty() ? mean_without_late(open_[i].times)
              : work_.empty()         ? work_now(view.components[i])
                                      : work_.back()[i];
  work_.push_back(std::move(work));
  if (work_.size() > windows) work_.pop_front();
  if (foreseen_for_ > 0) --foreseen_for_;
  open_.assign(n, {});
}

std::optional<swing_memory::steady> swing_memory::steadier_than_following(const system_view& view, const policy& rule,
                                                                          const std::vector<allotment>& candidates,
                                                                          double move_cost, bool is_known) const {
  if (work_.size() < static_cast<std::size_t>(fewest_times) * (lag + 1) || candidates.empty() ||
      work_.back().size() != view.components.size())
    return {};
  std::vector<double> present;
  for (const component_view& c : view.components) present.push_back(work_now(c));
  std::vector<std::vector<double>> costs(work_.size(), std::vector<double>(candidates.size()));
  std::vector<double> factor(present.size());
  std::vector<assessment> assessed;
  for (const allotment& given : candidates) assessed.push_back(rule.assess(view, given));
  for (std::size_t k = 0; k < work_.size(); ++k) {
    for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = present[i] > 0 ? work_[k][i] / present[i] : 1;
    for (std::size_t c = 0; c < candidates.size(); ++c) costs[k][c] = bottleneck(assessed[c], candidates[c], factor);
  }

  // What is for the second candidate now must have been before, and have passed: else this is the first time.
  int times = 0;
  bool was_for = false;
  for (const std::vector<double>& of : costs) {
    const bool is_for = candidates.size() > 1 && of[0] > worth_following * of[1];
    times += is_for && !was_for;
    was_for = is_for;
  }
  if (!is_known && times < fewest_times) return {};
  const double worth = is_known ? clearly_better : worth_following;

  const std::size_t late = foreseen_for_ > 0 ? foreseen_lag : lag;
  // One that follows changes to what is best, where that is clearly better, when it has seen it for `late` windows.
  const auto best_of = [](const std::vector<double>& of) {
    return static_cast<std::size_t>(std::min_element(of.begin(), of.end()) - of.begin());
  };
  std::size_t follower = best_of(costs.front());
  double following = 0;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    if (k >= late) {
      const std::vector<double>& seen = costs[k - late];
      const std::size_t best = best_of(seen);
      if (seen[follower] > worth * seen[best]) {
        follower = best;
        following += move_cost / static_cast<double>(window);
      }
    }
    following += costs[k][follower];
  }
  steady result{0, std::vector<double>(candidates.size(), 0)};
  for (const std::vector<double>& of : costs)
    for (std::size_t c = 0; c < candidates.size(); ++c) result.costs[c] += of[c] / static_cast<double>(costs.size());
  result.index = best_of(result.costs);
  following /= static_cast<double>(costs.size());
  if (!(following > clearly_better * result.costs[result.index])) return {};
  return result;
}

system_view swing_memory::with(const system_view& view, const std::vector<double>& work) const {
  system_view other = view;
  for (std::size_t i = 0; i < work.size(); ++i)
    if (const double present = work_now(view.components[i]); present > 0 && work[i] > 0)
      other.components[i].time_factor *= work[i] / present;
  return other;
}

system_view swing_memory::with_mean_work(const system_view& view) const {
  std::vector<double> all(view.components.size(), 0);
  for (const std::vector<double>& work : work_)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += work[i] / static_cast<double>(work_.size());
  return with(view, all);
}

system_view swing_memory::with_largest_work(const system_view& view) const {
  std::vector<double> all(view.components.size(), 0);
  for (const std::vector<double>& work : work_)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], work[i]);
  return with(view, all);
}

}  // namespace weir
