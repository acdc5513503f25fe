#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <weir/options/options.hpp>

namespace weir::corpus {

// A way by name, and the settings to run it.
struct named_way {
  std::string name;      // "pipeline limited", "weir adaptive", "weir fixed:read=2x2"
  std::string way;       // "sequential", "pipeline", "flow-graph", "xargs", "weir"
  std::string policy;    // of weir; empty: the option's
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

// Options of a run by weir, as typed; empty: not given. Other ways refuse them.
struct weir_settings {
  std::optional<std::string> policy, objective, report, trace;
  std::optional<std::size_t> capacity;
};

// The options of a run. Throws bad_input for options that the way, the policy or the network refuses.
options options_of(const named_way& way, const weir_settings& typed, bool has_images);

}  // namespace weir::corpus
