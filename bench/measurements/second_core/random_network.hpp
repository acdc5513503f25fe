#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <weir/weir.hpp>

namespace weir::second_core {

// A network of short boxes, drawn from a seed: chains, fan-outs, choices, splits and stars. Its boxes take 0.05 to 20
// us and numbers or strings; some are serial.
struct random_network {
  std::string text;  // as it is written, with the seconds of each box
  network body;      // takes what source_for() gives
};

// Makes records for a time, in seconds, and then says how many.
network source_for(double seconds, std::atomic<std::int64_t>& emitted);
random_network draw(std::uint64_t seed);

}  // namespace weir::second_core
