#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include <weir/options/options.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/streams/run_owner.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/thread_identity.hpp"

namespace weir::detail {

// A loop over the results of a run: what the copies of an iterator share. An exception that leaves the loop stops the
// run, so that no sender waits for a reader that is gone. Not thread-safe.
class reading {
 public:
  // of: expired once the run is gone. thread_reads: lives as long as any loop of the thread.
  reading(std::weak_ptr<run_owner> of, std::shared_ptr<const char> thread_reads)
      : of_(std::move(of)), thread_reads_(std::move(thread_reads)) {}
  ~reading() {
    if (!has_begun_ || std::uncaught_exceptions() <= exceptions_) return;
    if (const std::shared_ptr<run_owner> run = of_.lock()) run->stop();
  }
  reading(const reading&) = delete;

  void begin() { has_begun_ = true; }

 private:
  const std::weak_ptr<run_owner> of_;
  const std::shared_ptr<const char> thread_reads_;
  const int exceptions_ = std::uncaught_exceptions();  // under way in this thread
  bool has_begun_ = false;
};

// Which threads send to a run, and which one reads its results. A thread that does both must not be held up by results
// that only it could read. Thread-safe, except that reads() and becomes_reader() are the reader's.
class callers {
 public:
  // Notes that the calling thread sends. True when that is new and the thread also reads.
  bool sends_and_reads() {
    if (const auto last = last_sender_.load(std::memory_order_relaxed); last > 0 && last == thread_identity::known)
      return false;
    const std::uint64_t me = thread_identity::mine();
    const lock_guard lock(mutex_);
    senders_.add_this();
    last_sender_.store(me, std::memory_order_relaxed);
    return reader_ == me;
  }

  bool reads() const { return reads_ == thread_identity::known; }  // whether the calling thread was the last to read
  // Notes that the calling thread reads. Returns whether it also sends.
  bool becomes_reader() {
    const std::uint64_t me = thread_identity::mine();
    reads_ = me;
    const lock_guard lock(mutex_);
    reader_ = me;
    return senders_.contains(me);
  }

  // The calling thread begins a loop over the results of this run. Throws std::logic_error while another thread is in
  // one, and std::bad_alloc.
  std::shared_ptr<reading> begin_reading(run_owner& run) {
    const std::uint64_t me = thread_identity::mine();
    const lock_guard lock(mutex_);
    std::shared_ptr<const char> thread_reads = loops_.lock();
    if (thread_reads && in_loop_ != me)
      throw std::logic_error(
          "iteration: another thread is in a loop over the results of this run; let one thread read and hand the "
          "records on, or begin once the other loop has ended and its iterator is gone");
    if (!exists_) exists_ = std::shared_ptr<run_owner>(&run, [](run_owner*) {});
    if (!thread_reads) loops_ = thread_reads = std::make_shared<const char>();
    in_loop_ = me;
    return std::make_shared<reading>(exists_, std::move(thread_reads));
  }

 private:
  threads::atomic<std::uint64_t> last_sender_{0};  // relaxed: spares the last sender the lock
  std::uint64_t reads_ = 0;                        // reader_, without the lock
  WEIR_LOCK(callers) mutex_;
  thread_list senders_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t reader_ WEIR_GUARDED_BY(mutex_) = 0;
  std::weak_ptr<const char> loops_ WEIR_GUARDED_BY(mutex_);    // expires with the last of the loops under way
  std::uint64_t in_loop_ WEIR_GUARDED_BY(mutex_) = 0;          // the thread that began them
  std::shared_ptr<run_owner> exists_ WEIR_GUARDED_BY(mutex_);  // owns nothing; expires with the run
};

}  // namespace weir::detail
