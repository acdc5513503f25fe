#pragma once

#include <stdexcept>
#include <string>

#include <weir/threads/primitives.hpp>

namespace weir::detail::mpi {

// Whether a transport is open, which it is for one run at a time. Any thread may call it.
class open_state {
 public:
  // Throws std::logic_error: it is open, or is being closed.
  void begin(int rank) {
    int expected = closed;
    if (!state_.compare_exchange_strong(expected, open, std::memory_order_acquire))
      throw std::logic_error("weir::mpi::start: rank " + std::to_string(rank) +
                             " runs a network already; a rank has one run at a time, from its start until its "
                             "execution is destroyed");
  }
  // False: it is not open, or another thread has closed it, for which this one has waited.
  bool begin_to_close() {
    int expected = open;
    if (state_.compare_exchange_strong(expected, closing, std::memory_order_relaxed)) return true;
    state_.wait(closing, std::memory_order_acquire);
    return false;
  }
  // Ends the closing of the thread whose begin_to_close() returned true. release: threads in begin(), and those that
  // wait, see all earlier writes.
  void end() {
    state_.store(closed, std::memory_order_release);
    state_.notify_all();
  }

 private:
  enum { closed, open, closing };
  threads::atomic<int> state_{closed};
};

}  // namespace weir::detail::mpi
