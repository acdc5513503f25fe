#pragma once

#include <string>
#include <vector>

#include "scheduler/predict/mapping.hpp"

namespace weir {

// The cores 0..cores-1 in classes of those that nothing tells apart: the same lanes of the same components lie on them.
// Each class is in ascending order. A component without cores lies nowhere.
std::vector<core_set> core_classes(const mapping& given, int cores);

// Ways to run a component on this set of cores, within its bounds: in lanes of every number (or, when not `all`, of one
// and powers of two), and roaming. As many lanes as cores is roaming: both take one core each, and the model does not
// tell them apart.
std::vector<mapping::entry> ways_on(const core_set& cores, const network_model::component& c, bool all);

// Every way to run a component on some of the cores, once for all that are alike: so many cores of each class, the
// first of it. On a device, every number of invocations at once that `slots` allow.
std::vector<mapping::entry> all_ways(const std::vector<core_set>& classes, const network_model::component& c,
                                     int slots);

// Some of them, where all would be too many: runs of a class, whole classes and all cores together, and the component's
// own cores with one more or one less.
std::vector<mapping::entry> some_ways(const std::vector<core_set>& classes, const network_model::component& c,
                                      int slots, const mapping::entry& now);

// The same text for mappings that differ by which of the cores are taken alone.
std::string form_of(const mapping& given, int cores);

}  // namespace weir
