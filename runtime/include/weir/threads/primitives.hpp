#pragma once

// The primitives by which the threads of runtime/ synchronise: its only includes of <atomic>, <mutex> and
// <condition_variable>, and all its threads. In the product these are the standard types. In the tests of schedules
// they are those of scheduled.hpp, of which one thread runs at a time, and a scheduler of the tests chooses which.
#ifdef WEIR_SCHEDULES
#include <weir/threads/scheduled.hpp>
namespace [[gnu::visibility("default")]] weir {
namespace detail {
namespace threads = scheduled;
}
}
#else

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace [[gnu::visibility("default")]] weir {
namespace detail::threads {

using std::atomic;
using std::condition_variable;
using std::mutex;
using std::thread;
using clock = std::chrono::steady_clock;
using std::atomic_thread_fence;

// Tells the core that this thread spins. Takes some 40 ns, during which the core's other hardware thread has the core.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
inline void yield() { std::this_thread::yield(); }
inline void sleep(std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); }

}  // namespace detail::threads
}  // namespace weir
#endif
