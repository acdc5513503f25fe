#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/predict/mapping.hpp>

namespace weir {

// A component and one of its lanes, each that runs on a core; of one that roams always lane 0.
using lanes_on_core = std::vector<std::pair<std::size_t, std::size_t>>;
std::vector<lanes_on_core> lanes_by_core(const mapping& given, int cores);

// Groups the cores 0..cores-1 into classes of equal ones, which have the same lanes of the same components. Each class
// is in ascending order. A component without cores is on none.
std::vector<core_set> core_classes(const mapping& given, int cores);

// Lists ways to run a component on this set of cores, within its bounds: in lanes, and roaming. The number of lanes is
// any number, or, if not `all`, a power of two. As many lanes as cores are listed as roaming only: both take one core
// each, and the model does not tell them apart.
std::vector<mapping::entry> ways_on(const core_set& cores, const network_model::component& c, bool all);

// Lists every way to run a component on some of the cores. Only one of equal choices is listed: the first cores of each
// class, in any number. On a device the ways are all widths that `slots` allow.
std::vector<mapping::entry> all_ways(const std::vector<core_set>& classes, const network_model::component& c,
                                     int slots);

// How many ways all_ways() lists, without making them: on a large machine they take more memory than there is.
double count_ways(const std::vector<core_set>& classes, const network_model::component& c, int slots);

// Lists some of these ways, where all would be too many. They use runs of a class, whole classes, all cores together,
// and the component's present cores with one more or one less.
std::vector<mapping::entry> some_ways(const std::vector<core_set>& classes, const network_model::component& c,
                                      int slots, const mapping::entry& now);

// A text that is equal for mappings that differ only by which of equal cores are taken.
std::string form_of(const mapping& given, int cores);

}  // namespace weir
