#include <weir/scheduler/view/system_view.hpp>

#include <algorithm>

namespace weir {

int shared_lanes(const component_view& c) { return std::min(c.max_width, c.max_cores); }

std::vector<std::string> names_of(const system_view& view) {
  std::vector<std::string> names;
  names.reserve(view.components.size());
  for (const component_view& c : view.components) names.push_back(c.name);
  return names;
}

}  // namespace weir
