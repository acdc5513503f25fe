// The text of a synthetic machine.
#include <stdexcept>
#include <string>

#include "scheduler/topology.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    weir::topology::synthetic(text).summary();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
