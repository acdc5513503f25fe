#include "bench/support/host.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "bench/support/bad_input.hpp"

namespace weir::program {

machine parse_machine(const std::string& text) {
  if (text == "local") return machine::local();
  try {
    return machine::synthetic(text);
  } catch (const std::invalid_argument& e) {
    if (text.find(" kinds:") != std::string::npos) throw bad_input(fmt::format("--machine: {}", e.what()));
    throw bad_input(fmt::format(
        "--machine: \"{}\" is neither local nor a synthetic topology such as \"package:4 core:12 pu:1\"", text));
  }
}

int usable_cores() {
  cpu_set_t usable;
  // A mask of this type is too small where there are more than 1,024.
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0)
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "";
}

std::string build_type() { return WEIR_BUILD_TYPE[0] ? WEIR_BUILD_TYPE : "unnamed"; }

}  // namespace weir::program
