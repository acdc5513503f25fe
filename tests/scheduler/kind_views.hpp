#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/dvbs2_tasks.hpp"
#include "tests/scheduler/views.hpp"

// Views of machines whose cores are of several kinds.
namespace weir::testing {

inline system_view view_on(const std::string& machine, std::vector<component_view> components) {
  system_view view;
  view.components = std::move(components);
  view.machine = std::make_shared<const topology>(topology::synthetic(machine));
  view.cores = view.machine->all();
  return view;
}

// On the kinds after the first it takes these times as long.
inline component_view on_kinds(component_view c, std::vector<double> factors) {
  factors.insert(factors.begin(), 1);
  c.kind_factors = std::move(factors);
  return c;
}

// The tasks of a DVB-S2 receiver, as bench/scenarios/dvbs2-p6-e8.json has them.
inline std::vector<component_view> receiver() {
  std::vector<component_view> all;
  for (const components::dvbs2_task& t : components::dvbs2_tasks) {
    component_view c = component(t.name, amdahl(1e-6 * t.performance, 0), t.is_stateless ? unlimited : 1);
    c.sequential = true;
    all.push_back(on_kinds(std::move(c), {t.efficiency / t.performance}));
  }
  return all;
}

}  // namespace weir::testing
