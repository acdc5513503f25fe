#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <weir/threads/primitives.hpp>

namespace weir::detail {

class platform;
struct kept_thread;

// A thread that runs one function: a thread of its own, or a kept one. As a threads::thread, it is joined before it is
// destroyed. Used by one thread at a time.
class started_thread {
 public:
  started_thread() noexcept = default;
  started_thread(threads::thread own) noexcept : own_(std::move(own)) {}
  started_thread(std::shared_ptr<kept_thread> one, std::uint64_t number) noexcept
      : kept_(std::move(one)), number_(number) {}
  started_thread(started_thread&& other) noexcept { *this = std::move(other); }
  started_thread& operator=(started_thread&& other) noexcept {
    own_ = std::move(other.own_);
    kept_ = std::move(other.kept_);
    number_ = other.number_;
    return *this;
  }

  bool joinable() const noexcept { return kept_ || own_.joinable(); }
  void join();  // returns once the function has returned. REQUIRES: joinable

 private:
  threads::thread own_;
  std::shared_ptr<kept_thread> kept_;
  std::uint64_t number_ = 0;  // of the function, among those of the kept thread
};

// The threads of this process that wait for another function for some seconds after their own has returned. To start
// and to end a thread takes longer than most short runs. Thread-safe.
//
// A function meets its thread as if the caller had just started it: with the caller's affinity, signal mask, scheduling
// class, NUMA policy and floating-point state. Only thread_local objects are those of earlier functions, and what else
// a thread inherits when it is made: filters of system calls, capabilities, namespaces. Its cancellation is disabled. A
// thread without a function is not attached to oneTBB; it blocks all signals and is bound to nothing of a run's, from a
// moment after join() on. None ends while the process is exiting. A child of fork() has none of them, and starts none.
class kept_threads {
 public:
  // Runs `body`, which throws nothing, on a thread of this platform: on a kept or a new one where it keeps threads.
  // Throws std::system_error when the system gives no thread, and std::bad_alloc, having done nothing.
  static started_thread start(platform& on, std::function<void()> body);

  // Long enough for programs that run a network for each request or file, and short for one that is at rest.
  static constexpr std::chrono::seconds kept_for{3};

  static int idle();                // threads without a function
  static void end_idle() noexcept;  // lets those end now
};

// Ends what the local machine and this process keep for later runs. For tests that count threads. REQUIRES: no run is
// on the local machine, and none is started meanwhile.
void end_threads_at_rest() noexcept;

}  // namespace weir::detail
