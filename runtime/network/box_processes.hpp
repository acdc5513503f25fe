#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "runtime/threads/locks.hpp"

namespace weir::detail {

// A process that works for a box in place of a thread. Plain data.
struct box_process {
  int pid = 0;
  int cores = 0;  // the most that it was granted since the look before
  std::chrono::steady_clock::time_point began;
};

// The processes that work for a box in one run, now, so that the run can look at their threads. Thread-safe.
class box_processes {
 public:
  // A process from its start to its end, as the lane that started it has it. Used by one thread at a time.
  class membership {
   public:
    // Null: no run has a list of them. Throws std::bad_alloc.
    membership(std::shared_ptr<box_processes> of, const box_process& process);
    ~membership();
    membership(const membership&) = delete;

    void grant(int cores);  // from now on

   private:
    const std::shared_ptr<box_processes> of_;
  };

  // Throws std::bad_alloc.
  std::vector<box_process> sample();

 private:
  struct member {
    box_process process;
    int granted;           // now
    const membership* of;  // and not by number, which another process may have once this one has ended
  };

  WEIR_LOCK(box_processes) mutex_;
  std::vector<member> members_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail
