#include "scheduler/control/sharing_residuals.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/control/indexing.hpp"

namespace weir {
namespace {

constexpr double spread_of_ways = 0.3;         // of the logarithm, one standard deviation over ways to share
constexpr double scatter_of_record = 1;          // of one record's logarithm: inputs differ, and records leave in bursts
constexpr double drift_in_sharing = 0.01;         // of the logarithm, one standard deviation in 100 records
constexpr double period = 6;           // records, at least
constexpr double most_weight = 64;     // records that a way remembers

}  // namespace

bool is_full(const system_view& view) {
  const auto waits = [](const component_view& c) { return c.queue_length > 0; };
  if (view.links.empty()) return !view.components.empty() && waits(view.components.front());
  return std::ranges::all_of(view.links, [&](const link& l) { return l.from >= 0 || waits(at(view, l.to)); });
}

std::vector<int> sharing_residuals::key_of(const allotment& given) {
  std::vector<int> key;
  for (const share& s : given.components) key.push_back(s.is_member());
  key.push_back(given.shared_host());
  key.push_back(given.shared_host() < 0 ? given.shared.size() : 0);
  return key;
}

sharing_residuals::way& sharing_residuals::place_of(const allotment& given) {
  std::vector<int> key = key_of(given);
  const auto found = std::ranges::find(ways_, key, &way::key);
  if (found != ways_.end()) return *found;
  if (ways_.size() == most_ways) ways_.erase(std::ranges::min_element(ways_, {}, &way::latest));
  ways_.push_back({std::move(key), 0, 0, 0});
  return ways_.back();
}

void sharing_residuals::take(const system_view& view, int reference, double expected) {
  const component_view& c = at(view, reference);
  const auto begin = [&] {
    reference_ = is_full(view) ? reference : -1;
    in_force_since_ = view.in_force_since;
    from_ = view.time;
    invocations_ = c.invocations;
  };
  if (reference_ != reference || in_force_since_ != view.in_force_since || !is_full(view)) return begin();
  if (!(c.visits > 0 && expected > 0)) return;
  const double records = static_cast<double>(c.invocations - invocations_) / c.visits;
  if (records < period || !(view.time > from_)) return;
  way& w = place_of(view.current);
  const double weight = std::min(w.records, most_weight);
  const double log_ratio = std::log((view.time - from_) / records / expected);
  w.log_ratio = (w.log_ratio * weight + log_ratio * records) / (weight + records);
  w.records = weight + records;
  w.latest = records_ += records;
  begin();
}

double sharing_residuals::factor(const allotment& of) const {
  const auto found = std::ranges::find(ways_, key_of(of), &way::key);
  if (found == ways_.end()) return 1;
  const double error = scatter_of_record * scatter_of_record / found->records + drift_in_sharing * drift_in_sharing * (records_ - found->latest) / 100;
  return std::exp(found->log_ratio * spread_of_ways * spread_of_ways / (spread_of_ways * spread_of_ways + error));
}

}  // namespace weir
