// The text of a synthetic machine.
#include <stdexcept>
#include <string>

#include <weir/scheduler/machine/topology.hpp>

// hwloc 2.9 loses 32 bytes when it refuses a description after an object in brackets.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() { return "leak:libhwloc"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    weir::topology::synthetic(text).summary();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
