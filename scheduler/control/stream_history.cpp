#include "scheduler/control/stream_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {
namespace {

constexpr std::size_t most_times = 32;   // of a component in a window: more hardly change their mean
constexpr std::size_t most_ratios = 16;  // of a component in a cost: more hardly move the median
constexpr double most_over_median = 2;   // of a window: a late invocation is no swing
constexpr std::size_t few = 4;           // of fewer, half may be late by chance
constexpr double scatter_of_one = 0.15;  // of one record's cost; a few that happen to be alike prove nothing
constexpr double least_scatter = 0.1;    // of one invocation's time, likewise
constexpr double other_stream = 0.05;    // costs that differ by more are not averaged
constexpr double enough_to_compare = 2;  // records

double median(std::vector<double> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return of.size() % 2 == 1 ? *middle : (*middle + *std::max_element(of.begin(), middle)) / 2;
}

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

measured_ratio ratio_since_move(const component_view& c) {
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(c.recent.size(), c.invocations_since_move));
  double measured = 0, expected = 0, sum = 0, squares = 0;
  for (auto s = c.recent.end() - n; s != c.recent.end(); ++s) {
    const double by_model = c.model->mean(s->x, s->cores), ratio = s->seconds / by_model;
    measured += s->seconds;
    expected += by_model * c.time_factor;
    sum += ratio;
    squares += ratio * ratio;
  }
  measured_ratio out{measured > 0 && expected > 0 ? measured / expected : 1.0, INFINITY};
  if (n < 2) return out;
  const auto count = static_cast<double>(n);
  const double mean = sum / count, variance = std::max(0.0, (squares - sum * mean) / (count - 1));
  out.error = std::max(std::sqrt(variance) / mean, least_scatter) / std::sqrt(count);
  return out;
}

stream_history::time stream_history::time_of(const component_view& c, const invocation_sample& s) {
  const double there = c.model->mean(s.x, s.cores), alone = c.model->mean(s.x, 1);
  return there > 0 && alone > 0 ? time{alone, s.seconds / there} : time{s.seconds, 1};
}

std::vector<stream_history::stream> stream_history::stream_of(const system_view& view) {
  std::vector<stream> all;
  for (const component_view& c : view.components) all.push_back({c.inputs, c.visits});
  return all;
}

// The cost of an allotment by the models in the stream of now, over its cost in another.
double stream_history::ratio(const allotment& given, const system_view& now, const std::vector<stream>& then,
                             const assessor& by) {
  system_view other = without_samples(now, by.aside);
  for (std::size_t i = 0; i < then.size(); ++i) {
    other.components[i].inputs = then[i].inputs;
    other.components[i].visits = then[i].visits;
  }
  return by.here.assess(now, given).cost / by.aside.assess(other, given).cost;
}

// The median over the model's times. With few invocations be conservative: take the smallest if the allotment is
// doubted, else the largest, and no more for or against it than the model says.
double stream_history::typical(const std::vector<time>& times, bool is_doubted) {
  std::vector<double> ratios;
  for (const time& t : times) ratios.push_back(t.over_expected);
  if (ratios.size() >= few) return median(std::move(ratios));
  return is_doubted ? std::min(1.0, std::ranges::min(ratios)) : std::max(1.0, std::ranges::max(ratios));
}

double stream_history::records_in(const std::vector<part>& open, const system_view& view) {
  double most = 0;  // by the component that had most
  for (std::size_t i = 0; i < open.size(); ++i)
    if (const double visits = view.components[i].visits; visits > 0)
      most = std::max(most, static_cast<double>(open[i].count) / visits);
  return most;
}

double stream_history::records(const system_view& view) const {
  return records_in(open_cost_, view) + static_cast<double>(window * costs_.size());
}

// The last `fresh` invocations of a component, of which `most` times are kept in all.
void stream_history::add(part& to, const component_view& c, std::uint64_t fresh, std::size_t most) {
  to.count += fresh;
  for (auto s = c.recent.end() - static_cast<std::ptrdiff_t>(fresh); s != c.recent.end() && to.times.size() < most; ++s)
    to.times.push_back(time_of(c, *s));
}

void stream_history::take(const system_view& view, const assessor& by, bool looks_ahead) {
  const std::size_t n = view.components.size();
  if (seen_.size() != n) {
    clear();
    for (const component_view& c : view.components) seen_.push_back(c.invocations);
    inputs_seen_.resize(n);
    open_work_.resize(n);
    open_cost_.resize(n);
    current_ = view.current;
  }
  if (current_ != view.current) leave_current(view, by);
  if (looks_ahead &&
      std::ranges::any_of(view.components, [](const component_view& c) { return !c.next_inputs.empty(); }))
    foreseen_for_ = windows;
  for (std::size_t i = 0; i < n; ++i) {
    const component_view& c = view.components[i];
    if (c.inputs_seen < std::exchange(inputs_seen_[i], c.inputs_seen)) costs_.clear();  // they changed
    const std::uint64_t fresh =
        std::min<std::uint64_t>(c.invocations - std::min(seen_[i], c.invocations), c.recent.size());
    seen_[i] = c.invocations;
    add(open_work_[i], c, fresh, most_times);
    add(open_cost_[i], c, std::min(fresh, c.invocations_since_move), most_ratios);
  }
  if (records_in(open_work_, view) >= static_cast<double>(window)) keep_work(view);
  if (records_in(open_cost_, view) >= static_cast<double>(window)) keep_cost(view, by);
}

void stream_history::keep_work(const system_view& view) {
  std::vector<double> work;
  for (std::size_t i = 0; i < open_work_.size(); ++i)
    work.push_back(!open_work_[i].times.empty() ? mean_without_late(open_work_[i].times)
                   : work_.empty()              ? work_now(view.components[i])
                                                : work_.back()[i]);
  work_.push_back(std::move(work));
  if (work_.size() > windows) work_.pop_front();
  if (foreseen_for_ > 0) --foreseen_for_;
  open_work_.assign(open_work_.size(), {});
}

void stream_history::keep_cost(const system_view& view, const assessor& by) {
  if (!costs_.empty() && std::abs(ratio(current_, view, with_, by) - 1) > other_stream) costs_.clear();
  if (costs_.empty()) with_ = stream_of(view);
  if (costs_.size() == most_costs) costs_.erase(costs_.begin());
  costs_.push_back(cost_of_open(view, by, true));
  open_cost_.assign(open_cost_.size(), {});
}

// Another allotment came into force: keeps the cost of the last one.
void stream_history::leave_current(const system_view& view, const assessor& by) {
  if (const auto last = cost_of_windows(view, by, false)) {
    std::erase_if(entries_, [&](const entry& e) { return e.given == current_; });
    if (entries_.size() == allotments) entries_.erase(entries_.begin());
    entries_.push_back({std::move(current_), *last, costs_.empty() ? stream_of(view) : std::move(with_)});
  }
  current_ = view.current;
  costs_.clear();
  open_cost_.assign(open_cost_.size(), {});
}

// The cost of the allotment in force by the window that is not complete.
double stream_history::cost_of_open(const system_view& view, const assessor& by, bool is_doubted) const {
  system_view measured = without_samples(view, by.aside);
  for (std::size_t i = 0; i < open_cost_.size(); ++i)
    if (!open_cost_[i].times.empty()) measured.components[i].time_factor *= typical(open_cost_[i].times, is_doubted);
  return by.aside.assess(measured, current_).cost;
}

std::optional<stream_history::cost> stream_history::cost_of_windows(const system_view& view, const assessor& by,
                                                                    bool is_doubted) const {
  cost out;
  const auto k = static_cast<double>(costs_.size());
  out.records = costs_.empty() ? records(view) : k * window;
  if (out.records < enough_to_compare) return {};
  out.error = scatter_of_one / std::sqrt(out.records);
  if (costs_.empty()) {
    out.mean = cost_of_open(view, by, is_doubted);
    return out;
  }
  double squares = 0;
  for (double c : costs_) out.mean += c / k;
  for (double c : costs_) squares += (c - out.mean) * (c - out.mean);
  if (costs_.size() > 2) out.error = std::max(out.error, std::sqrt(squares / (k - 1) / k) / out.mean);
  return out;
}

std::optional<stream_history::cost> stream_history::cost_of_current(const system_view& view, const assessor& by) const {
  if (view.current != current_) return {};
  return cost_of_windows(view, by, true);
}

std::optional<stream_history::cost> stream_history::cost_of(const allotment& before, const system_view& view,
                                                            const assessor& by) const {
  const auto found = std::ranges::find(entries_, before, &entry::given);
  if (found == entries_.end()) return {};
  cost out = found->seen;
  out.mean *= ratio(before, view, found->with, by);
  return out;
}

std::vector<allotment> stream_history::before() const {
  std::vector<allotment> all;
  for (const entry& e : entries_)
    if (e.given != current_) all.push_back(e.given);
  return all;
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
