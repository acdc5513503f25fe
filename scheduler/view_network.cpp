#include "scheduler/view_network.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "scheduler/component_times.hpp"

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
  visited.visits = 1;  // how often is the network's, here is how long
  if (!is_observed(visited))
    throw std::invalid_argument("component \"" + component.name +
                                "\": its model has seen nothing, so it cannot say what it costs");
  const auto kept = std::make_shared<kept_times>(visited);
  network_model::component result;
  result.name = component.name;
  const bool sequential = component.sequential;
  result.seconds = [kept, sequential](int cores) { return kept->times.invocation(sequential ? 1 : cores); };
  result.variation = kept->times.variation(1);
  result.min_cores = component.min_cores;
  result.max_cores = component.max_cores;
  result.max_width = component.max_width;
  return result;
}

network_model network_of(const system_view& view, const std::vector<bool>& joins) {
  const std::size_t n = view.components.size();
  network_model result;
  for (std::size_t i = 0; i < n; ++i) {
    result.components.push_back(modelled(view.components[i]));
    result.components.back().joins = joins[i];
  }
  if (view.links.empty()) return result;
  std::vector<double> reach(n, 0), leaves(n, 0);
  for (const link& l : view.links)
    if (l.to >= 0) reach[static_cast<std::size_t>(l.to)] += l.records;
  const auto visits = [&](std::size_t i) { return view.components[i].visits; };
  for (const link& l : view.links) {
    if (l.to < 0 || !(l.records > 0)) continue;
    const auto to = static_cast<std::size_t>(l.to);
    // A join brings together as many records of each stream as it is invoked. Counts of other components may differ
    // from those of their links by what was under way.
    double records = joins[to] ? visits(to) : l.records * std::min(1.0, visits(to) / reach[to]);
    if (l.from >= 0) {
      const auto from = static_cast<std::size_t>(l.from);
      if (!(visits(from) > 0)) continue;
      leaves[from] += records;
      records /= visits(from);
    }
    result.links.push_back({l.from, l.to, records});
  }
  for (std::size_t i = 0; i < n; ++i) {
    const int self = static_cast<int>(i);
    if (!joins[i] && visits(i) > reach[i] && reach[i] > 0)
      result.links.push_back({self, self, 1 - reach[i] / visits(i)});
    if (leaves[i] == 0) result.links.push_back({self, -1, 1});
  }
  return result;
}

}  // namespace weir
