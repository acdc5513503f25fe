#pragma once

#include <cstdint>

#include <weir/weir.hpp>

#include "bench/measurements/flow_accuracy/random_network.hpp"

namespace weir::flow_accuracy {

// How the boxes of a drawn network spend their time.
enum class labour {
  work,  // arithmetic that keeps a core busy
  sleep  // uses no core, so the number of components is not limited
};

// A drawn network of boxes `b0`, `b1`, .. Each takes exponential times with its mean, times `scale`. It sends each
// record on over one of its streams, all equally likely, as a message of the stream's size. Both follow from the seed,
// the record's number and the component.
//
// Any graph without cycles can be written in combinators as a chain of places. Each place is a filter that asks whether
// the record is for this component, and a choice of its box and bypass(). A record names its destination and passes all
// other places. That uses no queue, and only the sender's time.
network network_of(const random_network& drawn, labour how, double scale, std::uint64_t seed);

// The record of that number, to be sent.
record random_input(std::int64_t number);

// Keeps the calling thread's core busy with arithmetic that takes `seconds` on an idle core.
void work_for(double seconds);

}  // namespace weir::flow_accuracy
