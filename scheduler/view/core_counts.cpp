#include <weir/scheduler/view/core_counts.hpp>

#include <stdexcept>
#include <string>

namespace weir {

int core_counts::cores_used() const {
  int sum = shared;
  for (const entry& e : components) sum += e.cores;
  return sum;
}

int largest_owner(const core_counts& counts) {
  int largest = -1, most = 0;
  for (std::size_t i = 0; i < counts.components.size(); ++i)
    if (counts.components[i].cores > most) most = counts.components[i].cores, largest = static_cast<int>(i);
  return largest;
}

void require_minima(const system_view& view) {
  long long total = 0;
  std::string who;
  for (const component_view& c : view.components) {
    if (c.min_cores < 2 || is_outside(c)) continue;
    total += c.min_cores;
    who += (who.empty() ? "\"" : ", \"") + c.name + "\" " + std::to_string(c.min_cores);
  }
  if (total > view.cores.size())
    throw std::invalid_argument("components ask for " + std::to_string(total) + " cores at least (" + who +
                                ") and there are " + std::to_string(view.cores.size()));
}

}  // namespace weir
