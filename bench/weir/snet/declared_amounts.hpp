#pragma once

#include <deque>
#include <string>
#include <vector>

#include <weir/network/device.hpp>
#include <weir/network/resource.hpp>
#include "bench/weir/snet/bound_boxes.hpp"

namespace weir::program {

// The resources of --resource, each NAME=AMOUNT, such as memory=8GiB, and those of files of boxes whose names it does
// not give. Throws bad_input for another text, a name that is given twice, and amounts in which two files differ.
std::vector<resource> resources_of(const std::vector<std::string>& asked, const std::deque<bound_boxes>& files);

// The same for devices: those of --device, each NAME=SLOTS, such as gpu0=2, and those of files.
std::vector<device> devices_of(const std::vector<std::string>& asked, const std::deque<bound_boxes>& files);

}  // namespace weir::program
