#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/measurements/overhead/meter.hpp"
#include "bench/measurements/overhead/timed_boxes.hpp"

// Pipelines of FastFlow, where its headers were found, in its blocking mode: threads sleep when they have nothing to
// do. The source, the sink and serial boxes are nodes with a thread each.
namespace weir::overhead::by_fastflow {

// Boxes that add one are nodes too; `places` in each queue between two nodes.
sample run_chain(int k, std::size_t places, std::int64_t records);

// A box without a state is an ordered farm of as many workers as there are cores, which take items in turn.
sample run_timed_boxes(const timed_boxes& boxes, std::int64_t records);

}  // namespace weir::overhead::by_fastflow
