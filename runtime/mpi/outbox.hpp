#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/mpi/frame.hpp"
#include "runtime/remote/transport.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::mpi {

// One MPI message to one rank: several frames, and the blobs that are sent as messages of their own.
struct batch {
  std::vector<std::byte> frames;  // behind a batch_head, which who sends it fills
  std::vector<remote::blob> blobs;
  std::size_t count = 0;  // of the frames
};

// Messages that were sent and are not yet with MPI, as batches for each rank. Any thread puts in, under whatever locks;
// the communicator's thread takes out, and sleeps here.
class outbox {
 public:
  outbox(int ranks, int self);

  // Adds a message for a rank and wakes the sleeper; drops it when the outbox is shut or the rank is lost. Throws
  // std::bad_alloc, having added nothing.
  void put(int to, remote::message m);

  void unshut();
  void shut();                                // tells all ranks that it is closed
  void tell(frame_kind what, int about = 0);  // to all ranks
  void wake();

  // The rest is for the communicator's thread.

  // Batches for a rank; all but the last are full.
  std::size_t batches(int to) const { return count_[static_cast<std::size_t>(to)].load(std::memory_order_relaxed); }
  batch take(int to);                         // the oldest batch. REQUIRES: there is one
  std::deque<batch> lose(int to);             // the batches for this rank; later ones are dropped
  void reuse(std::vector<std::byte> frames);  // the memory of a batch that was sent

  // Sleeps until something is put in, unless that was since the last sleep; or it is woken; or `at_most`.
  void sleep(std::chrono::microseconds at_most);

 private:
  void tell_locked(frame_kind what, int about) WEIR_REQUIRES(mutex_);
  batch& room_for(int to, std::size_t bytes, std::size_t blobs) WEIR_REQUIRES(mutex_);

  WEIR_LOCK(outbox) mutex_;
  condition arrived_;
  std::vector<std::deque<batch>> waiting_ WEIR_GUARDED_BY(mutex_);
  std::vector<bool> is_lost_ WEIR_GUARDED_BY(mutex_);  // this rank itself is
  bool is_shut_ WEIR_GUARDED_BY(mutex_) = true;
  std::vector<std::vector<std::byte>> spare_ WEIR_GUARDED_BY(mutex_);
  bool is_asleep_ WEIR_GUARDED_BY(mutex_) = false;
  bool is_new_ WEIR_GUARDED_BY(mutex_) = false;      // something was put in or woken since the last sleep
  std::vector<threads::atomic<std::size_t>> count_;  // of the batches for each rank; relaxed: a hint
};

}  // namespace weir::detail::mpi
