#include "scheduler/system_view.hpp"

namespace weir {

std::vector<std::string> names_of(const system_view& view) {
  std::vector<std::string> names;
  names.reserve(view.components.size());
  for (const component_view& c : view.components) names.push_back(c.name);
  return names;
}

}  // namespace weir
