#pragma once

#include <hwloc.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/machine/core_kind.hpp>

namespace weir {

// The kinds of a loaded topology's cores, the fastest first. Plain data.
struct core_kinds {
  std::vector<core_kind> kinds;
  std::vector<int> of_core;  // indices into `kinds`, by hwloc's logical number
};

// The type of objects that count as cores. Some virtual machines report no cores; each processing unit then is one.
hwloc_obj_type_t type_of_cores(hwloc_topology_t loaded);

// As hwloc ranks them: by capacity on ARM, by types and frequencies elsewhere. One kind where it cannot, or before
// hwloc 2.4. The speed of a kind is its capacity, else its base frequency, else its largest one, over that of the
// fastest.
core_kinds kinds_of_machine(hwloc_topology_t loaded);

// A synthetic text is cut into hwloc's part and the list of kinds behind " kinds:", if there is one.
std::pair<std::string, std::optional<std::string>> without_kinds(const std::string& text);

// The kinds that such a list says for as many cores; one without a list. Throws std::invalid_argument with the whole
// `text`.
core_kinds synthetic_kinds(const std::optional<std::string>& said, const std::string& text, int cores);

}  // namespace weir
