#include "bench/weir/interruption.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace weir::command {
namespace {

std::atomic<bool> was_asked{false};  // lock-free, as a handler demands
static_assert(std::atomic<bool>::is_always_lock_free);

struct sigaction before;

void handle(int) {
  if (was_asked.exchange(true)) ::_exit(interruption::exit_code);
  constexpr char text[] = "\nweir: ending with what there is; Ctrl-C again leaves at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
}

}  // namespace

interruption::interruption() {
  was_asked.store(false);
  struct sigaction how {};
  how.sa_handler = handle;
  how.sa_flags = SA_RESTART;
  ::sigemptyset(&how.sa_mask);
  ::sigaction(SIGINT, &how, &before);
}

interruption::~interruption() { ::sigaction(SIGINT, &before, nullptr); }

bool interruption::asked() { return was_asked.load(); }

}  // namespace weir::command
