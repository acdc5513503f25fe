#pragma once

#include <cstdint>

#include <weir/threads/primitives.hpp>

namespace weir::detail::mpi {

// Whether the communicator's thread is inside a call of MPI that does not return. Open MPI locks itself out, or loops,
// when a peer's connection breaks at the wrong moment; then another thread must say so.
class call_watch {
 public:
  // The communicator's thread is inside a call while this exists. If it was given up meanwhile, it stays there for
  // ever.
  class call {
   public:
    explicit call(call_watch& w) : watch_(w) {
      watch_.count_.fetch_add(1, std::memory_order_relaxed);
      // release: who gives the thread up sees all that it did before.
      watch_.state_.store(inside, std::memory_order_release);
    }
    ~call() {
      int expected = inside;
      if (!watch_.state_.compare_exchange_strong(expected, outside, std::memory_order_relaxed)) stay();
    }
    call(const call&) = delete;

   private:
    call_watch& watch_;
  };

  // Another thread calls it from time to time: whether the same call was under way each time. Then the communicator's
  // thread never returns from it, and the caller owns that thread's data.
  bool gives_up(int checks) {
    const std::uint64_t count = count_.load(std::memory_order_relaxed);
    if (state_.load(std::memory_order_relaxed) != inside || count != seen_) {
      seen_ = count;
      same_ = 0;
      return false;
    }
    if (++same_ < checks) return false;
    int expected = inside;  // acquire: pairs with the release above
    return state_.compare_exchange_strong(expected, given_up, std::memory_order_acquire);
  }
  // By that thread: at how many checks the call went on that goes on now.
  int checks() const { return same_; }

 private:
  enum { outside, inside, given_up };
  [[noreturn]] static void stay();

  threads::atomic<int> state_{outside};
  threads::atomic<std::uint64_t> count_{0};  // relaxed: only compared
  std::uint64_t seen_ = 0;                   // by the other thread
  int same_ = 0;
};

}  // namespace weir::detail::mpi
