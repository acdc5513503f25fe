#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <weir/weir.hpp>

#include "bench/measurements/overhead/meter.hpp"

namespace weir::overhead {

// `body` between a source that makes `records` records by calling `make` with an emitter and a number, and a sink that
// takes them: the records begin and end inside the network, as those of a flow graph do. `body` ends with the sink.
template <class Gives, class Make>
network fed(meter& m, std::int64_t records, const Gives& gives, Make make, const network& body) {
  return (source("numbers", gives,
                 [&m, records, make](emitter& emit) {
                   m.begin();
                   for (std::int64_t i = 0; i < records; ++i) make(emit, i);
                 }) |
          bypass()) >>
         body;
}

// Runs a network that feeds itself to its end.
inline void run_to_end(const network& net, options o = {}) {
  execution run = start(net, std::move(o));
  run.close();
  run.wait();
}

// Records wait for each other up to here: in each stream between two components.
inline options in_flight(std::size_t records) {
  options o;
  o.capacity = records;
  return o;
}

}  // namespace weir::overhead
