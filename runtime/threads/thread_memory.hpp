#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace weir::detail {

// A function that the calling thread is to run when it ends, as a link of that thread's list. Its memory is the
// thread's.
struct thread_end {
  void (*run)() noexcept;
  thread_end* next = nullptr;

  // Adds it to the list. False where the thread has ended already, or its end cannot be reported.
  [[gnu::visibility("default")]] static bool add(thread_end& one) noexcept;
};

// Memory that each thread has for itself, such as a cache: a T that the thread makes when it first asks for it, and
// destroys when it ends.
//
// A thread ends here after the destructors of its thread_local objects; the main thread does not end. So destructors of
// thread_local and static objects, and what std::atexit() calls, still have their T. Code that runs later, destructors
// of other pthread keys, gets null and works without.
//
// No memory is needed to report the end. A thread_local with a destructor would need some in the C library, which ends
// the process if there is none. And it would be gone while destructors of the user's still run.
template <class T>
class thread_memory {
 public:
  // The calling thread's T. Null when the thread has ended, or the system has no key that reports its end. Throws what
  // T's constructor does.
  static T* here() noexcept(noexcept(T())) { return made_ ? made_ : make(); }

 private:
  [[gnu::noinline]] static T* make() noexcept(noexcept(T())) {
    made_ = ::new (static_cast<void*>(memory_)) T();
    if (!thread_end::add(end_)) destroy();
    return made_;
  }
  static void destroy() noexcept { std::exchange(made_, nullptr)->~T(); }

  // Constant-initialised and without destructors, so that reading the pointer needs no check, and always may be done.
  static inline constinit thread_local T* made_ = nullptr;
  static inline constinit thread_local thread_end end_{&destroy};
  alignas(T) static inline constinit thread_local std::byte memory_[sizeof(T)]{};
};

}  // namespace weir::detail
