#pragma once

#include <weir/threads/primitives.hpp>
#include "runtime/remote/transport.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::mpi {

enum class command { none, open, close, leave };

// Commands of other threads to the communicator's: one at a time, which they wait for.
class command_slot {
 public:
  struct asked {
    command what;
    remote::peer_listener* listener;  // of open
  };

  // Gives the command to the thread that `wake()` wakes, and waits until that calls done(). One thread at a time.
  template <class Wake>
  void ask(asked what, const Wake& wake) {
    unique_lock lock(mutex_);
    asked_ = what;
    is_new_.store(true, std::memory_order_relaxed);
    wake();
    done_.wait(lock, [&]() WEIR_NOT_ANALYSED { return asked_.what == command::none; });
  }

  // By the communicator's thread. take() gives the command, which lasts until done().
  bool is_new() const { return is_new_.load(std::memory_order_relaxed); }
  asked take() {
    const lock_guard lock(mutex_);
    is_new_.store(false, std::memory_order_relaxed);
    return asked_;
  }
  void done() {
    const lock_guard lock(mutex_);
    asked_.what = command::none;
    done_.notify_all();
  }

 private:
  WEIR_LOCK(communicator) mutex_;
  condition done_;
  asked asked_ WEIR_GUARDED_BY(mutex_) = {command::none, nullptr};
  threads::atomic<bool> is_new_{false};  // relaxed: a hint to look
};

}  // namespace weir::detail::mpi
