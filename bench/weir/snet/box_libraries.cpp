#include "bench/weir/snet/box_libraries.hpp"

#include <unistd.h>

#include <exception>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/snet/exit_watch.hpp"
#include "runtime/snet/box_library.hpp"

namespace weir::program {
namespace {

std::string being_loaded;  // for the handler below

// While a library is loaded, an exception of its static objects ends the process, and so does exit(). Both are said as
// any other error.
class loading {
 public:
  loading(const std::string& library, const std::string& given_by) {
    being_loaded = "weir: " + given_by + printable(library) + ": it threw an exception while it was loaded\n";
    before_ = std::set_terminate([] {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, being_loaded.data(), being_loaded.size());
      ::_exit(2);
    });
  }
  ~loading() { std::set_terminate(before_); }
  loading(const loading&) = delete;

 private:
  const exit_watch exits_;
  std::terminate_handler before_;
};

}  // namespace

void add_library(registry& to, const std::string& library, const std::string& given_by) {
  const loading now(library, given_by);
  try {
    detail::snet::add_library(to, library);
  } catch (const std::exception& e) {
    const std::string words = given_by + e.what();
    if (words.find('\n') == words.npos) throw bad_input(words);
    throw bad_text(words.substr(0, words.find_last_not_of('\n') + 1));
  }
}

}  // namespace weir::program
