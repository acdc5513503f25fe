#pragma once

#include <string>
#include <vector>

#include "scheduler/predict/network_model.hpp"
#include "scheduler/view/allotment.hpp"

namespace [[gnu::visibility("default")]] weir {

// Which cores the invocations of every component run on. Unlike in an allotment, any components may share any cores.
// Plain data, by component index.
struct mapping {
  struct entry {
    core_set cores;  // empty: the component's device
    int width = 1;   // invocations at once
    // False: the cores are cut into `width` lanes of floor or ceil(cores/width) neighbours, as those of a share. True:
    // an invocation takes one core, whichever of them is free, as in the shared group.
    bool roams = false;

    bool operator==(const entry&) const = default;
    int invocation_cores() const { return roams || cores.empty() ? 1 : (cores.size() + width - 1) / width; }
    // The cores of each lane; of one that roams, one core each.
    std::vector<core_set> lanes() const;
  };
  std::vector<entry> components;
  bool operator==(const mapping&) const = default;

  // Those that any component uses.
  core_set used() const;
};

// An allotment as a mapping: owners in their lanes, members of the shared group anywhere on its cores, each as often at
// once as it may. What runs on a device keeps no core and one invocation at once, or as many as the share says wait
// outside the cores.
mapping mapping_of(const allotment& given, const network_model& network);

// Says what is wrong with a mapping on cores 0..cores-1 in one sentence, or returns "": every component has cores or
// its device, within its bounds, and no device has more on it than it has slots.
std::string check(const mapping& given, const network_model& network, int cores);

// "a {0-1} 2 lanes, b any of {2-3}, c on fpga 2 at once".
std::string to_string(const mapping& given, const network_model& network);

}  // namespace weir
