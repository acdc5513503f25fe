#pragma once

#include <sched.h>
#include <time.h>

#include <chrono>

#include <weir/threads/primitives.hpp>
#include "runtime/mpi/outbox.hpp"
#include "runtime/mpi/poll_backoff.hpp"

namespace weir::detail::mpi {

// How the communicator's thread spends the time without work: it polls on, or sleeps for a time that backoff_after()
// says.
class polling {
 public:
  using time = std::chrono::steady_clock::time_point;

  explicit polling(time now) : worked_at_(now) {}

  void worked(time now) { worked_at_ = now; }
  // A batch waits to be filled, until this is called again.
  void gathers(bool some) { is_gathering_ = some; }

  // Until there may be work; alone: there is no other rank, so until it is woken.
  void pause(time now, bool has_parts, bool alone, outbox& wakes) const {
    if (is_gathering_) {  // the sender makes better use of the core
      const timespec backoff{0, std::chrono::nanoseconds(first_backoff).count()};
      nanosleep(&backoff, nullptr);
      return;
    }
    const auto backoff =
        backoff_after(std::chrono::duration_cast<std::chrono::microseconds>(now - worked_at_), has_parts);
    if (!backoff) return threads::yield();
    wakes.sleep(alone ? std::chrono::hours{1} : *backoff);
  }

 private:
  time worked_at_;
  bool is_gathering_ = false;
};

}  // namespace weir::detail::mpi
