// The `weir` command: one file per subcommand.
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

#include "bench/weir/command_line.hpp"

namespace {

std::terminate_handler before = nullptr;

// Memory can run out where no handler can catch it: before main, in a thread, in a noexcept function.
[[noreturn]] void end_without_handler() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr char text[] = "weir: there is not enough memory\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
    ::_exit(1);
  } catch (...) {
  }
  before();
  ::_exit(1);  // for the compiler: the handler before does not return
}

[[gnu::constructor(101)]] void set_handler() { before = std::set_terminate(end_without_handler); }

}  // namespace

int main(int argc, char** argv) {
  // A program inherits that SIGCHLD is ignored, and then the system tells no parent how its child ended.
  std::signal(SIGCHLD, SIG_DFL);
  return weir::program::run_command_line(argc, argv);
}
