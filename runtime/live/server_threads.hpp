#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <thread>
#include <vector>

#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Threads that answer one connection each. Unlike httplib's pool it has no queue, which could grow without bound.
// Thread-safe.
class server_threads {
 public:
  explicit server_threads(int number);  // throws std::system_error when the system gives no threads
  ~server_threads();                    // as end()

  // Waits for a thread that is free. False, and the task is not called: all were busy for `at_most`. Throws
  // std::bad_alloc.
  bool give(std::function<void()> task, std::chrono::milliseconds at_most);
  void end() noexcept;  // waits for the tasks that were given

 private:
  void work();

  WEIR_LOCK(live) mutex_;
  condition given_, freed_;
  std::list<std::function<void()>> tasks_ WEIR_GUARDED_BY(mutex_);  // not begun: as many threads are about to take them
  int free_ WEIR_GUARDED_BY(mutex_) = 0;                            // threads less tasks that are not finished
  bool is_ending_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace weir::detail
