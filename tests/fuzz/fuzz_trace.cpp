// A trace in Chrome's format, as read by explain.
#include "bench/support/bad_input.hpp"
#include "bench/weir/explain/explain_trace.hpp"
#include "tests/fuzz/input_path.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weir::topology cores = weir::topology::synthetic("package:2 core:4 pu:1");
  const input_path file(data, size);
  try {
    weir::program::read_trace(file.text(), cores);
  } catch (const weir::program::bad_input&) {
  }
  return 0;
}
