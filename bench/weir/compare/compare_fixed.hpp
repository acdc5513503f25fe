#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::program {

// The fixed divisions of the cores that are worth a run, in the form of parse_policy: "fixed:first=2x2,second=1".

// Every division in which at least one component owns cores, with any number of lanes (of_one_lane: the name of one
// that has one). Also equal shares, which on few cores is the one without owners. The others share the remaining cores
// or, if there are none, an owner's core. Empty if there are more than 64 divisions with owners.
std::vector<std::string> all_divisions(const std::vector<std::string>& components, int cores,
                                       const std::string& of_one_lane = "");

// The division, with one lane and at least one core per component, that takes the least total time over the phases of a
// stream. In each phase the component with the most work is the bottleneck; seconds(phase, component, cores) is its
// work. All divisions are tried. Empty if there are fewer cores than components, or more than 10^7 divisions.
std::vector<std::string> best_division(
    const std::vector<std::string>& components, int cores, std::size_t phases,
    const std::function<double(std::size_t phase, std::size_t component, int cores)>& seconds);

}  // namespace weir::program
