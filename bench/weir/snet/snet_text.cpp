#include "bench/weir/snet/snet_text.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "runtime/snet/box_library.hpp"

namespace weir::program {
namespace {

std::string being_loaded;  // for the handler below

// While a library is loaded, an exception of its static objects ends the process. That is said as any other error.
class loading {
 public:
  explicit loading(const std::string& library) {
    being_loaded = "weir: --boxes: " + printable(library) + ": it threw an exception while it was loaded\n";
    before_ = std::set_terminate([] {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, being_loaded.data(), being_loaded.size());
      ::_exit(2);
    });
  }
  ~loading() { std::set_terminate(before_); }
  loading(const loading&) = delete;

 private:
  std::terminate_handler before_;
};

}  // namespace

registry boxes_of(const snet_files& files) {
  registry known;
  for (const std::string& library : files.libraries) {
    try {
      const loading now(library);
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

}  // namespace weir::program
