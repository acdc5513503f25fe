#pragma once

#include <cstdint>

#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/thread_identity.hpp"

namespace weir::detail {

// Which threads send to a run, and which one reads its results. A thread that does both must not be held up by results
// that only it could read. Thread-safe, except that reads() and becomes_reader() are the reader's.
class callers {
 public:
  // Notes that the calling thread sends. True when that is new and the thread also reads.
  bool sends_and_reads() {
    if (const auto last = last_sender_.load(std::memory_order_relaxed); last > 0 && last == thread_identity::known)
      return false;
    const thread_identity& me = thread_identity::mine();
    const lock_guard lock(mutex_);
    senders_.add(me);
    last_sender_.store(me.number, std::memory_order_relaxed);
    return reader_ == me.number;
  }

  bool reads() const { return reads_ == thread_identity::known; }  // whether the calling thread was the last to read
  // Notes that the calling thread reads. Returns whether it also sends.
  bool becomes_reader() {
    const thread_identity& me = thread_identity::mine();
    reads_ = me.number;
    const lock_guard lock(mutex_);
    reader_ = me.number;
    return senders_.contains(me);
  }

 private:
  threads::atomic<std::uint64_t> last_sender_{0};  // relaxed: spares the last sender the lock
  std::uint64_t reads_ = 0;                    // reader_, without the lock
  WEIR_LOCK(callers) mutex_;
  thread_list senders_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t reader_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::detail
