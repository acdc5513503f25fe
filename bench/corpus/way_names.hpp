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
  bool onetbb = false;   // pictures are encoded on threads of oneTBB, which that variable does not limit
};

// Throws bad_input, listing what there is, for another name.
named_way parse_way(const std::string& name);

// Throws bad_input where pictures are to be kept and cannot be, and for threads of oneTBB that encode none.
void require_use_of(const named_way& way, bool has_images);

// All ways. The fixed shares are the ones that could be best on that number of cores. With pictures all that can keep
// them; "onetbb" is of use then.
std::vector<named_way> all_ways(int cores, bool has_images);

// As parse_policy, and "shared": all components share all cores.
program::named_policy parse_way_policy(const std::string& text, const objective& goal);

}  // namespace weir::corpus
