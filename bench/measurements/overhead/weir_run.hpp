#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <weir/weir.hpp>

#include "bench/measurements/overhead/meter.hpp"

namespace weir::overhead {

// A network of a source, `body` and a sink. The source makes `records` records by calling `make` with an emitter and a
// number. `body` ends with the sink. So the records begin and end inside the network, as those of a flow graph do.
template <class Gives, class Make>
network fed(meter& m, std::int64_t records, const Gives& gives, Make make, const network& body) {
  return source("numbers", gives,
                [&m, records, make](emitter& emit) {
                  m.begin();
                  for (std::int64_t i = 0; i < records; ++i) make(emit, i);
                }) >>
         body;
}

// Runs a network that feeds itself to its end.
inline void run_to_end(const network& net, options o = {}) {
  execution run = start(net, std::move(o));
  run.close();
  run.wait();
}

// Limits how many records wait in each stream between two components.
inline options in_flight(std::size_t records) {
  options o;
  o.capacity = records;
  return o;
}

}  // namespace weir::overhead
