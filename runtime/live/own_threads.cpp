#include "runtime/live/own_threads.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>

namespace weir::detail {

void begin_live_thread() noexcept {
  pthread_setname_np(pthread_self(), "weir-live");
  std::array<cpu_set_t, 8> of_process;  // 8192 cores
  if (sched_getaffinity(getpid(), sizeof of_process, of_process.data()) == 0)
    sched_setaffinity(0, sizeof of_process, of_process.data());
}

}  // namespace weir::detail
