#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::command {

// Which fixed divisions of the cores are worth a run, as parse_policy takes them: "fixed:first=2x2,second=1".

// Every division that gives at least one component cores of its own, with any number of lanes; the others share what is
// left over, or lie on an owner. None when there are more than 64.
std::vector<std::string> all_divisions(const std::vector<std::string>& components, int cores);

// The division, with a lane and at least a core for each component, under which the phases of a stream take the least
// time in all, when in each the component with the most to do is the bottleneck: seconds(phase, component, cores) is
// what it has to do. All divisions are tried. None when there are fewer cores than components, or more than 10^7
// divisions.
std::vector<std::string> best_division(
    const std::vector<std::string>& components, int cores, std::size_t phases,
    const std::function<double(std::size_t phase, std::size_t component, int cores)>& seconds);

}  // namespace weir::command
