// A scenario, as read by simulate, with the network that the first seed draws.
#include "bench/support/bad_input.hpp"
#include "bench/weir/simulate/scenario_file.hpp"
#include "tests/fuzz/input_path.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const input_path file(data, size);
  try {
    weir::command::read_scenario(file.text(), {});
  } catch (const weir::command::bad_input&) {
  }
  return 0;
}
