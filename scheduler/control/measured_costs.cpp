#include "scheduler/control/measured_costs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/control/without_samples.hpp"

namespace weir {
namespace {

constexpr std::size_t most_ratios = 16;  // of a component in a batch: more hardly move the median
constexpr std::size_t few = 4;           // of fewer, half may be late by chance
constexpr double scatter_of_one = 0.15;  // of one invocation; a few that happen to be alike prove nothing
constexpr double other_stream = 0.05;    // costs that differ by more are not averaged
constexpr double enough_to_compare = 2;  // records

// The median. A few do not say more for or against an allotment than the model does.
double typical(std::vector<double> ratios, bool is_doubted) {
  if (ratios.size() < few)
    return is_doubted ? std::min(1.0, std::ranges::min(ratios)) : std::max(1.0, std::ranges::max(ratios));
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  if (ratios.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(ratios.begin(), middle)) / 2;
}

}  // namespace

std::vector<measured_costs::stream> measured_costs::stream_of(const system_view& view) {
  std::vector<stream> all;
  for (const component_view& c : view.components) all.push_back({c.inputs, c.visits});
  return all;
}

// What an allotment costs by the models in the stream of now, over what it costs in another.
double measured_costs::ratio(const allotment& given, const system_view& now, const std::vector<stream>& then,
                             const policy& rule, const policy& aside) {
  system_view other = without_samples(now, aside);
  for (std::size_t i = 0; i < then.size(); ++i) {
    other.components[i].inputs = then[i].inputs;
    other.components[i].visits = then[i].visits;
  }
  return rule.assess(now, given).cost / aside.assess(other, given).cost;
}

void measured_costs::clear() { *this = {}; }

double measured_costs::records(const system_view& view) const {
  double open = 0;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (const double visits = view.components[i].visits; visits > 0)
      open = std::max(open, static_cast<double>(open_[i].count) / visits);
  return open + static_cast<double>(batch * costs_.size());
}

// The cost of what was in force until now. `is_doubted`: few records say no more than they must that it is slow; else
// that it is fast.
double measured_costs::cost_of_open(const system_view& view, const policy& aside, bool is_doubted) const {
  system_view measured = without_samples(view, aside);
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (!open_[i].ratios.empty()) measured.components[i].time_factor *= typical(open_[i].ratios, is_doubted);
  return aside.assess(measured, current_).cost;
}

// Another allotment came into force: keeps what the last one cost.
void measured_costs::begin(const system_view& view, const policy& aside) {
  if (const auto last = of_batches(view, aside, false)) {
    std::erase_if(entries_, [&](const entry& e) { return e.given == current_; });
    if (entries_.size() == allotments) entries_.erase(entries_.begin());
    entries_.push_back({std::move(current_), *last, costs_.empty() ? stream_of(view) : std::move(with_)});
  }
  current_ = view.current;
  costs_.clear();
  open_.assign(view.components.size(), {});
}

void measured_costs::look(const system_view& view, const policy& rule, const policy& aside) {
  const std::size_t n = view.components.size();
  if (seen_.size() != n) {
    clear();
    for (const component_view& c : view.components) seen_.push_back(c.invocations);
    inputs_seen_.resize(n);
    open_.resize(n);
    current_ = view.current;
  }
  if (current_ != view.current) begin(view, aside);
  for (std::size_t i = 0; i < n; ++i) {
    const component_view& c = view.components[i];
    if (c.inputs_seen < std::exchange(inputs_seen_[i], c.inputs_seen)) costs_.clear();  // they changed
    const std::uint64_t fresh = std::min({c.invocations - std::min(seen_[i], c.invocations), c.invocations_since_move,
                                          static_cast<std::uint64_t>(c.recent.size())});
    seen_[i] = c.invocations;
    open_[i].count += fresh;
    for (auto s = c.recent.end() - static_cast<std::ptrdiff_t>(fresh); s != c.recent.end(); ++s) {
      if (open_[i].ratios.size() == most_ratios) break;
      if (const double expected = c.model->mean(s->x, s->cores) * c.time_factor; expected > 0)
        open_[i].ratios.push_back(s->seconds / expected);
    }
  }
  if (records(view) < static_cast<double>(batch * (costs_.size() + 1))) return;
  if (!costs_.empty() && std::abs(ratio(current_, view, with_, rule, aside) - 1) > other_stream) costs_.clear();
  if (costs_.empty()) with_ = stream_of(view);
  if (costs_.size() == batches) costs_.erase(costs_.begin());
  costs_.push_back(cost_of_open(view, aside, true));
  open_.assign(n, {});
}

std::optional<measured_costs::cost> measured_costs::of_batches(const system_view& view, const policy& aside,
                                                               bool is_doubted) const {
  cost out;
  const auto k = static_cast<double>(costs_.size());
  out.records = costs_.empty() ? records(view) : k * batch;
  if (out.records < enough_to_compare) return {};
  out.error = scatter_of_one / std::sqrt(out.records);
  if (costs_.empty()) {
    out.mean = cost_of_open(view, aside, is_doubted);
    return out;
  }
  double squares = 0;
  for (double c : costs_) out.mean += c / k;
  for (double c : costs_) squares += (c - out.mean) * (c - out.mean);
  if (costs_.size() > 2) out.error = std::max(out.error, std::sqrt(squares / (k - 1) / k) / out.mean);
  return out;
}

std::optional<measured_costs::cost> measured_costs::of_current(const system_view& view, const policy& aside) const {
  if (view.current != current_) return {};
  return of_batches(view, aside, true);
}

std::optional<measured_costs::cost> measured_costs::of(const allotment& before, const system_view& view,
                                                       const policy& rule, const policy& aside) const {
  const auto found = std::ranges::find(entries_, before, &entry::given);
  if (found == entries_.end()) return {};
  cost out = found->seen;
  out.mean *= ratio(before, view, found->with, rule, aside);
  return out;
}

std::vector<allotment> measured_costs::before() const {
  std::vector<allotment> all;
  for (const entry& e : entries_)
    if (e.given != current_) all.push_back(e.given);
  return all;
}

}  // namespace weir
