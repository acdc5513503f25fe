#include "runtime/live/server_threads.hpp"

#include "runtime/live/own_threads.hpp"

namespace weir::detail {

server_threads::server_threads(int number) {
  try {
    while (static_cast<int>(threads_.size()) < number)
      threads_.emplace_back([this] {
        begin_live_thread();
        work();
      });
  } catch (...) {
    end();
    throw;
  }
  const lock_guard lock(mutex_);
  free_ = number;
}

server_threads::~server_threads() { end(); }

bool server_threads::give(std::function<void()> task, std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  unique_lock lock(mutex_);
  while (free_ == 0)
    if (!freed_.wait_until(lock, until)) return false;
  tasks_.push_back(std::move(task));
  --free_;
  given_.notify_one();
  return true;
}

void server_threads::end() noexcept {
  {
    const lock_guard lock(mutex_);
    is_ending_ = true;
    given_.notify_all();
  }
  for (std::thread& t : threads_)
    if (t.joinable()) t.join();
}

void server_threads::work() {
  unique_lock lock(mutex_);
  for (;;) {
    while (tasks_.empty() && !is_ending_) given_.wait(lock);
    if (tasks_.empty()) return;
    std::list<std::function<void()>> task;
    task.splice(task.begin(), tasks_, tasks_.begin());
    lock.unlock();
    task.front()();
    task.clear();
    lock.lock();
    ++free_;
    freed_.notify_one();
  }
}

}  // namespace weir::detail
