#include "scheduler/predict/device_placement.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

constexpr std::size_t most_tried_all = 6;  // alternatives: 64 searches

// The goal minimises these, the first one first.
std::array<double, 3> costs_of(const found_mapping& one, mapping_goal::kind wanted) {
  const double seconds = 1 / one.predicted.throughput, latency = one.predicted.latency;
  const auto used = static_cast<double>(one.where.used().size());
  if (wanted == mapping_goal::kind::latency) return {latency, seconds, used};
  if (wanted == mapping_goal::kind::cores) return {used, seconds, latency};
  return {seconds, used, latency};
}

class placement_search {
 public:
  placement_search(const network_model& network, const std::vector<device_alternative>& alternatives, int cores,
                   const mapping_goal& goal, const search_progress& progress)
      : network_(network), alternatives_(alternatives), cores_(cores), goal_(goal), progress_(progress) {}

  placement_search_result run() {
    const std::size_t n = alternatives_.size();
    if (n <= most_tried_all) {
      searches_ = std::uint64_t{1} << n;
      for (std::uint64_t bits = 0; bits < searches_; ++bits) {
        device_choices on_device(n);
        for (std::size_t k = 0; k < n; ++k) on_device[k] = (bits >> k & 1) != 0;
        search(on_device);
      }
    } else {
      searches_ = n * n;
      improve();
      result_.complete = false;
    }
    return std::move(result_);
  }

 private:
  void improve() {
    device_choices now(alternatives_.size(), false);
    search(now);
    for (bool helps = true; helps;) {
      helps = false;
      for (std::size_t k = 0; k < now.size(); ++k) {
        now[k] = !now[k];
        search(now);
        if (!result_.best.empty() && result_.best.front().on_device == now)
          helps = true;
        else
          now[k] = !now[k];
      }
    }
  }

  // Each choice is searched once. A choice may allow no mapping, where slots or cores do not suffice.
  void search(const device_choices& on_device) {
    if (!tried_.insert(on_device).second) return;
    const network_model placed = placed_on(network_, alternatives_, on_device);
    mapping_search_result found =
        best_mappings(placed, cores_, goal_, [&](std::uint64_t considered, std::uint64_t most) {
          if (progress_) progress_(result_.steps + considered, searches_ * std::max(considered, most));
        });
    result_.complete = (tried_.size() == 1 || result_.complete) && found.complete;
    result_.steps += found.steps;
    for (found_mapping& one : found.best) result_.best.push_back({std::move(one), on_device});
    std::stable_sort(result_.best.begin(), result_.best.end(), [&](const placed_mapping& a, const placed_mapping& b) {
      return costs_of(a.found, goal_.wanted) < costs_of(b.found, goal_.wanted);
    });
    if (result_.best.size() > goal_.top) result_.best.resize(goal_.top);
  }

  const network_model& network_;
  const std::vector<device_alternative>& alternatives_;
  const int cores_;
  const mapping_goal& goal_;
  const search_progress& progress_;
  std::uint64_t searches_ = 1;  // at most
  std::set<device_choices> tried_;
  placement_search_result result_;
};

}  // namespace

network_model placed_on(const network_model& network, const std::vector<device_alternative>& alternatives,
                        const device_choices& on_device) {
  network_model placed = network;
  for (std::size_t k = 0; k < alternatives.size(); ++k) {
    if (!on_device[k]) continue;
    const device_alternative& a = alternatives[k];
    network_model::component& c = placed.components[a.component];
    c.device = a.device;
    c.slots = a.slots;
    if (a.needs) c.needs = *a.needs;
    c.together = a.together;
    c.batch_start = a.batch_start;
    c.seconds = [seconds = a.seconds](int) { return seconds; };
  }
  return placed;
}

placement_search_result best_placements(const network_model& network,
                                        const std::vector<device_alternative>& alternatives, int cores,
                                        const mapping_goal& goal, const search_progress& progress) {
  std::set<std::size_t> named;
  for (const device_alternative& a : alternatives) {
    require("network", a.component < network.components.size(),
            "an alternative is of component " + std::to_string(a.component) + " of " +
                std::to_string(network.components.size()));
    const std::string who = "component \"" + network.components[a.component].name + "\"";
    require("network", named.insert(a.component).second, who + " has two alternatives, expected was one");
    require("network", a.device >= 0 && to_index(a.device) < network.devices.size(),
            who + " may run on device " + std::to_string(a.device) + " of " + std::to_string(network.devices.size()));
    const network_model::device& device = network.devices[to_index(a.device)];
    require("network", a.slots >= 1 && a.slots <= device.slots,
            who + " takes " + std::to_string(a.slots) + " slots of " + device.name + ", expected was 1 to " +
                std::to_string(device.slots));
    require("network", network.components[a.component].device < 0, who + " runs on a device and has another one");
  }
  return placement_search(network, alternatives, cores, goal, progress).run();
}

}  // namespace weir
