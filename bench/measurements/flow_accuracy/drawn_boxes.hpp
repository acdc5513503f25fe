#pragma once

#include <cstdint>

#include <weir/weir.hpp>

#include "bench/measurements/flow_accuracy/drawn_network.hpp"

namespace weir::flow_accuracy {

// How the boxes of a drawn network take their time.
enum class labour {
  work,  // arithmetic that keeps a core busy
  sleep  // no core at all, so that there may be any number of them
};

// A drawn network of boxes: `b0`, `b1`, .. Each takes exponential times of its mean, times `scale`, and sends what
// comes on over one of its streams, all of them equally likely, as a message of the stream's size. Both follow from the
// seed, the record's number and the component.
//
// Any graph without cycles is written in combinators as a chain of places, each a filter that asks whether the record
// is to go to this component, and a choice of its box and bypass(): a record says for whom it is, and goes past all
// others. That takes no queue, and time only of who sends.
network network_of(const drawn_network& drawn, labour how, double scale, std::uint64_t seed);

// The record of that number, to be sent.
record drawn_input(std::int64_t number);

// Keeps the calling thread's core busy with as much arithmetic as takes so many seconds on an idle core.
void work_for(double seconds);

}  // namespace weir::flow_accuracy
