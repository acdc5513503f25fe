#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/measurements/overhead/meter.hpp"
#include "bench/measurements/overhead/timed_boxes.hpp"

// Pipelines of Taskflow, where its headers were found: the source and the sink are serial pipes, and lines are the
// items in flight.
namespace weir::overhead::by_taskflow {

sample run_chain(int k, std::size_t places, std::int64_t records);  // boxes that add one, in parallel pipes
sample run_timed_boxes(const timed_boxes& boxes, std::int64_t records);

// Items through `boxes` serial pipes that add one, on a pipeline and threads that stay from call to call; how many came
// right.
std::int64_t run_again(int items, int boxes);

}  // namespace weir::overhead::by_taskflow
