#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/weir/common/named_policy.hpp"

namespace weir::corpus {

// A way by name, and the settings to run it.
struct named_way {
  std::string name;      // "pipeline limited", "weir adaptive", "weir fixed:read=2x2"
  std::string way;       // "sequential", "pipeline", "flow-graph", "xargs", "weir"
  std::string policy;    // of weir
  bool limited = false;  // OMP_THREAD_LIMIT=1, and one thread for zstd: what one sets by hand
};

// Throws bad_input, listing what there is, for another name.
named_way parse_way(const std::string& name);

// All ways. The fixed shares are the ones that could be best on that number of cores.
std::vector<named_way> all_ways(int cores);

// As parse_policy, and "shared": all components share all cores.
program::named_policy parse_way_policy(const std::string& text, const objective& goal);

}  // namespace weir::corpus
