#pragma once

#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <weir/weir.hpp>

#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/meter.hpp"

// Chains of k boxes that each add one to a tag. The runs begin and end inside the network or graph; each answer is
// checked.
namespace weir::overhead::chain {

network boxes(int k);

using flow_box = tbb::flow::function_node<item, item>;
std::deque<flow_box> flow_boxes(tbb::flow::graph& graph, int k);

// places: of each stream, or items in flight; 0, which only weir knows: automatic.
sample run_weir(int k, std::size_t places, std::int64_t records);
sample run_flow_graph(int k, std::size_t places, std::int64_t records, bool sequenced);
sample run_parallel_pipeline(int k, std::size_t places, std::int64_t records, tbb::filter_mode mode);

// By hand: each box is a call through a pointer that the compiler cannot see through.
using stage = void (*)(item&);
std::vector<stage> stages(int k);

sample run_loop(int k, std::int64_t records);  // one thread

}  // namespace weir::overhead::chain
