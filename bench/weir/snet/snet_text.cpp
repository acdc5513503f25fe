#include "bench/weir/snet/snet_text.hpp"

#include <cstdio>
#include <stdexcept>

#include "bench/support/bad_input.hpp"
#include "runtime/snet/box_library.hpp"

namespace weir::command {

registry boxes_of(const snet_files& files) {
  registry known;
  for (const std::string& library : files.libraries) {
    try {
      detail::snet::add_library(known, library);
    } catch (const std::exception& e) {
      throw bad_input(std::string("--boxes: ") + e.what());
    }
  }
  return known;
}

std::string text_of(const std::string& path) {
  try {
    return detail::snet::read_file(path);
  } catch (const std::runtime_error& e) {
    throw bad_input(e.what());
  }
}

std::optional<detail::snet::loaded> network_of(const snet_files& files, const registry& known, bool stubs) {
  const detail::snet::source_text text(files.text, text_of(files.text));
  detail::snet::fault_list faults;
  std::optional<detail::snet::loaded> made = detail::snet::load(text, known, stubs, faults);
  if (!made) std::fputs(faults.to_string(text).c_str(), stderr);
  return made;
}

}  // namespace weir::command
