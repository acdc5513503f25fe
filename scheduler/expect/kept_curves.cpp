#include "scheduler/expect/kept_curves.hpp"

#include <algorithm>

#include "scheduler/expect/expectation.hpp"

namespace weir {

bool kept_curves::has_times_of(const origin& known, const component_view& component) {
  const auto same = [](const typical_input& a, const typical_input& b) { return a.x == b.x && a.weight == b.weight; };
  return known.model == component.model && known.time_factor == component.time_factor &&
         (known.visits > 0) == (component.visits > 0) && std::ranges::equal(known.inputs, component.inputs, same);
}

bool kept_curves::has_curve_of(const origin& known, const component_view& component) {
  return known.has_curve && known.visits == component.visits && known.min_cores == component.min_cores &&
         known.max_cores == component.max_cores && known.max_width == component.max_width &&
         known.blocking == component.blocking && known.sequential == component.sequential;
}

std::vector<component_times>& kept_curves::times(const system_view& view) {
  const std::vector<component_view>& components = view.components;
  if (origins_.size() != components.size()) {
    curves_.clear();
    origins_.clear();
    times_ = times_of(view);
    origins_.resize(components.size());
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    const component_view& c = components[i];
    origin& known = origins_[i];
    if (has_times_of(known, c)) {
      times_[i].refer_to(c);
      continue;
    }
    known.model = nullptr;
    known.has_curve = false;
    times_[i].begin(c);
    known.inputs = c.inputs;
    known.time_factor = c.time_factor;
    known.visits = c.visits;
    if (!c.inputs.empty()) known.model = c.model;  // else the inputs are found among the recent invocations
  }
  return times_;
}

std::vector<cost_curve>& kept_curves::curves(const system_view& view) {
  times(view);
  if (cores_ != view.cores.size()) {
    for (origin& known : origins_) known.has_curve = false;
    cores_ = view.cores.size();
  }
  if (curves_.empty()) curves_ = curves_of(view, times_, options_);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const component_view& c = view.components[i];
    origin& known = origins_[i];
    if (has_curve_of(known, c)) continue;
    known.has_curve = false;
    curves_[i].begin(c, view.cores.size(), options_);
    known.visits = c.visits;
    known.min_cores = c.min_cores;
    known.max_cores = c.max_cores;
    known.max_width = c.max_width;
    known.blocking = c.blocking;
    known.sequential = c.sequential;
    known.has_curve = known.model != nullptr;
  }
  return curves_;
}

}  // namespace weir
