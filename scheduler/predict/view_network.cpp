#include "scheduler/predict/view_network.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// A view and the times that refer to it.
struct kept_times {
  explicit kept_times(const component_view& c) : view(c), times(view) {}
  kept_times(const kept_times&) = delete;
  component_view view;
  component_times times;
};

}  // namespace

network_model::component modelled(const component_view& component) {
  component_view visited = component;
  visited.visits = 1;  // the network holds how often; here only the time matters
  if (!is_observed(visited))
    throw std::invalid_argument("component \"" + component.name +
                                "\": its model has seen nothing, so it cannot say what it costs");
  // With one x the model predicts the mean of all times, while component_times compare those of the law.
  const double x = visited.recent.empty() ? visited.model->describe().largest_x : visited.recent.back().x;
  const prediction all = visited.model->predict(x, 1);
  const double by_law = visited.model->mean(x, 1), level = all.mean > 0 && by_law > 0 ? all.mean / by_law : 1;
  visited.time_factor *= level;
  const auto kept = std::make_shared<kept_times>(visited);
  network_model::component result;
  result.name = component.name;
  const bool sequential = component.sequential;
  result.seconds = [kept, sequential](int cores) { return kept->times.invocation(sequential ? 1 : cores); };
  result.variation = level == 1 ? kept->times.variation(1) : (all.spread / all.mean) * (all.spread / all.mean);
  result.min_cores = component.min_cores;
  result.max_cores = component.max_cores;
  result.max_width = component.max_width;
  result.priority = component.priority;
  return result;
}

network_model network_of(std::vector<network_model::component> components, const std::vector<double>& visits,
                         const std::vector<link>& links) {
  const std::size_t n = components.size();
  network_model result;
  result.components = std::move(components);
  if (links.empty()) return result;
  const auto joins = [&](std::size_t i) { return result.components[i].joins; };
  std::vector<double> reach(n, 0), leaves(n, 0);
  for (const link& l : links)
    if (l.to >= 0) reach[static_cast<std::size_t>(l.to)] += l.records;
  for (const link& l : links) {
    if (l.to < 0 || !(l.records > 0)) continue;
    const auto to = static_cast<std::size_t>(l.to);
    // Counts of invocations and of links may differ by the records that were under way.
    double records = joins(to) ? visits[to] : l.records * std::min(1.0, visits[to] / reach[to]);
    if (l.from >= 0) {
      const auto from = static_cast<std::size_t>(l.from);
      if (!(visits[from] > 0)) continue;
      leaves[from] += records;
      records /= visits[from];
    }
    result.links.push_back({l.from, l.to, records});
  }
  for (std::size_t i = 0; i < n; ++i) {
    const int self = static_cast<int>(i);
    if (!joins(i) && visits[i] > reach[i] && reach[i] > 0)
      result.links.push_back({self, self, 1 - reach[i] / visits[i]});
    if (leaves[i] == 0) result.links.push_back({self, -1, std::min(1.0, reach[i] / std::max(visits[i], 1e-300))});
  }
  return result;
}

void put_outside(network_model& network, std::size_t component, int at_once) {
  network_model::component& c = network.components[component];
  c.device = static_cast<int>(network.devices.size());
  c.slots = 1;
  c.max_width = at_once;
  network.devices.push_back({"threads of " + c.name, at_once});
}

void take_together(network_model& network, std::size_t component, double records) {
  network_model::component& c = network.components[component];
  c.together = std::max(1.0, records);
  c.batch_start = std::numeric_limits<double>::infinity();
  assume_full_batches(network, c.name, c.together);
}

void assume_full_batches(network_model& network, const std::string& what, double records) {
  if (records > 1)
    network.assumed.push_back("an invocation of " + what + " for fewer records takes as long as one for " +
                              in_digits(records) + ", so latencies are upper bounds");
}

network_model network_of(const system_view& view) {
  std::vector<network_model::component> components;
  std::vector<double> visits;
  for (const component_view& c : view.components) {
    components.push_back(modelled(c));
    visits.push_back(c.visits);
  }
  network_model result = network_of(std::move(components), visits, view.links);
  for (std::size_t i = 0; i < view.components.size(); ++i)
    if (is_outside(view.components[i])) put_outside(result, i, view.components[i].blocking);
  return result;
}

}  // namespace weir
