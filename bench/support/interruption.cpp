#include "bench/support/interruption.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace weir::program {
namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> asked_by{0};  // the first signal; lock-free, as a handler demands
static_assert(std::atomic<int>::is_always_lock_free);

std::array<struct sigaction, signals.size()> before;

void handle(int signal) {
  if (asked_by.exchange(signal) != 0) ::_exit(128 + signal);
  constexpr char text[] = "\nweir: ending with what there is; Ctrl-C again leaves at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
}

}  // namespace

interruption::interruption() {
  asked_by.store(0);
  struct sigaction how {};
  how.sa_handler = handle;
  how.sa_flags = SA_RESTART;
  ::sigemptyset(&how.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &how, &before[i]);
    if (before[i].sa_handler == SIG_IGN) ::sigaction(signals[i], &before[i], nullptr);
  }
}

interruption::~interruption() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

bool interruption::asked() { return asked_by.load() != 0; }

int interruption::exit_code() { return 128 + asked_by.load(); }

}  // namespace weir::program
