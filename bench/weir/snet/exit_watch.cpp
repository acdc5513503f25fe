#include "bench/weir/snet/exit_watch.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "bench/support/standard_output.hpp"

namespace weir::program {
namespace {

std::atomic<pid_t> watched{0};  // 0: no process

void tell_exit(int code, void*) {
  if (watched != ::getpid()) return;
  std::fprintf(stderr, "weir: a box or a library called exit(%d); unfinished work is lost\n", code);
  flush_standard_output();
  if (code != 0) return;
  std::fflush(stdout);  // not all streams: another thread may wait for input, and holds the lock of its stream
  ::_exit(1);
}

}  // namespace

exit_watch::exit_watch() {
  [[maybe_unused]] static const int registered = ::on_exit(tell_exit, nullptr);
  watched = ::getpid();
}

exit_watch::~exit_watch() { watched = 0; }

}  // namespace weir::program
