#include "scheduler/place/group_place.hpp"

#include <numeric>
#include <string>

#include "scheduler/view/require.hpp"

namespace weir {
namespace {

bool is_owner(const core_counts& counts, int i) {
  return i >= 0 && i < std::ssize(counts.components) && counts.components[static_cast<std::size_t>(i)].cores > 0;
}

}  // namespace

group_place place_of_group(const core_counts& counts, const system_view& view) {
  const int owned = std::accumulate(counts.components.begin(), counts.components.end(), 0,
                                    [](int sum, const core_counts::entry& e) { return sum + e.cores; });
  // Dispatch and filters get a core without an owner before they take time of an owner's core.
  const bool is_asked_for = view.needs_shared && counts.shared == 0 && counts.host < 0;
  const int shared = is_asked_for && owned < view.cores.size() ? 1 : counts.shared;
  const int host = is_asked_for ? largest_owner(counts) : counts.host;
  require("counts of cores", owned + shared <= view.cores.size(),
          std::to_string(owned + shared) + " are given away and there are " + std::to_string(view.cores.size()));
  const bool may_have_members = shared > 0 || is_owner(counts, host);
  for (std::size_t i = 0; i < counts.components.size(); ++i) {
    const auto [cores, lanes] = counts.components[i];
    if (cores > 0) {
      const bool is_valid = 1 <= lanes && lanes <= cores;
      if (!runs_outside(view, i) && is_valid) continue;
      const std::string has = "a component has " + std::to_string(cores) + " and ";
      require("counts of cores", !runs_outside(view, i), has + "runs outside the cores");
      require("counts of cores", is_valid, has + std::to_string(lanes) + " lanes");
    } else if (!may_have_members) {
      require("counts of cores", runs_outside(view, i), "the shared group has members and no place");
    }
  }
  return {shared, host};
}

}  // namespace weir
