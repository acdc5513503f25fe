#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <weir/engine/hang.hpp>
#include <weir/model/observation.hpp>
#include <weir/scheduler/view/held_function.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/machine/kept_threads.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class platform;
class run_life;
class run_owner;

// Carries a run's messages to its user: observations, hangs, sentences for the log, and that it stops. Any thread puts
// messages in, under whatever locks it holds. A thread of the run's own calls the user's functions, one call at a time
// and without a lock. So a slow function delays neither the sender of a message nor another run, and it may call
// anything that does not wait for this run. Thread-safe.
//
// That thread is started when it is first needed. On a machine without threads, and where the system gives none, the
// caller of tell_here() does its work.
class messenger {
 public:
  using observation_listener = held_function<void(std::string_view component, const observation&)>;
  using hang_listener = held_function<void(const hang&)>;
  // The listeners are options of the run, and outlive it.
  messenger(run_life& life, run_owner& run, const observation_listener& on_observation, const hang_listener& on_hang,
            platform& on);
  ~messenger();
  messenger(const messenger&) = delete;

  struct observed {
    const std::string* component;  // lives as long as the run
    observation what;
  };
  struct stopping {};
  using message = std::variant<observed, hang, std::string, stopping>;

  // Throws std::bad_alloc, having done nothing.
  void put(message m);
  void put_all(std::vector<message>& those);  // leaves them empty; the thread is woken once

  // Whether too many messages are pending, so that a worker that adds one must wait. Relaxed: a hint.
  bool is_behind() const { return untold_.load(std::memory_order_relaxed) > most_untold; }
  bool has_untold() const { return untold_.load(std::memory_order_relaxed) > 0; }
  void wait_until_told_some();  // or until the run is stopping: a thread that stops it calls wake()
  void wake();

  // Starts the thread unless it runs. False: there is no thread.
  bool start() noexcept;
  // tell_all() returns once everything put in before is told: by the thread, or here where there is none. On a thread
  // of the run's own it returns immediately.
  void tell_all() noexcept;
  void tell_here() noexcept;
  // Does the same, and ends the thread.
  void finish() noexcept;

 private:
  // A few batches of a worker's observations. The bound makes a slow function cost time, not memory.
  static constexpr std::size_t most_untold = 4096;

  void work() noexcept;
  void tell(const message& m) noexcept;
  void tell_some(unique_lock<mutex<lock_place::messages>>& lock) noexcept WEIR_NOT_ANALYSED;

  run_life& life_;
  run_owner& run_;
  const observation_listener& on_observation_;
  const hang_listener& on_hang_;
  platform& platform_;

  WEIR_LOCK(messages) mutex_;
  condition arrived_, told_;
  std::vector<message> waiting_ WEIR_GUARDED_BY(mutex_);
  std::vector<message> telling_;  // of the thread that tells, kept for its memory
  bool is_telling_ WEIR_GUARDED_BY(mutex_) = false;
  bool ends_ WEIR_GUARDED_BY(mutex_) = false;
  threads::atomic<std::size_t> untold_{0};  // relaxed: a count to read without the lock
  started_thread thread_;                   // started and joined by one thread at a time
  threads::atomic<bool> has_thread_{false};
};

}  // namespace weir::detail
