#pragma once

#include <cstdint>
#include <string>

#include <weir/engine/hang.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class error_site;
struct record_body;

// Shows the watchdog where a thread is in the user's code. On the thread's way through short boxes each update is a
// plain store.
class at_work {
 public:
  // A timed invocation. Plain data; without an entity there is none.
  struct invocation {
    const error_site* at = nullptr;
    const record_body* input = nullptr;
    double x = 0;
    int cores = 0;
    double since = 0;           // by the platform's clock
    std::uint64_t step = 0;     // the thread's count of steps at its start; a higher one now: it has emitted since
    std::uint32_t records = 1;  // that it is for
  };

  // ---- by the thread itself ----

  // The thread calls the user's code at this entity.
  void enter(const error_site& s) {
    check_no_locks("the user's code is called");
    at_.store(&s, std::memory_order_relaxed);
  }
  // The user's code has emitted, and goes on.
  void goes_on(const error_site& s) {
    step();
    enter(s);
  }
  // None of the user's code runs from here on.
  void leave() {
    step();
    at_.store(nullptr, std::memory_order_relaxed);
  }

  // An invocation begins, perhaps inside another one that emits. end() takes what begin() returned.
  invocation begin(const invocation& inner) {
    step();
    enter(*inner.at);
    invocation now = inner;
    now.step = steps_.load(std::memory_order_relaxed);
    return replace(now);
  }
  void end(const invocation& outer) {
    replace(outer);
    step();
    at_.store(outer.at, std::memory_order_relaxed);
  }

  // ---- by the watchdog ----

  struct sight {
    const error_site* at = nullptr;  // null: not in the user's code
    std::uint64_t step = 0;          // a different one: the thread has gone on meanwhile
    std::string path;                // of the timed invocation, as are the next two; empty: it is not timed
    std::string record;              // its input without the values of fields, see outline()
    invocation timed;
  };
  sight read() const;
  std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }  // so far

  // The last observation of the watchdog, and its conclusion.
  struct {
    const error_site* at = nullptr;
    std::uint64_t step = 0;
    double since = 0;    // by the platform's clock
    bool hangs = false;  // it was reported
  } watched;

 private:
  // A spin lock between the thread and the watchdog, which holds it while it writes down a path and a record.
  class short_lock {
   public:
    explicit short_lock(threads::atomic<bool>& taken) : taken_(taken) {
      while (taken_.exchange(true, std::memory_order_acquire)) threads::pause();
    }
    ~short_lock() { taken_.store(false, std::memory_order_release); }
    short_lock(const short_lock&) = delete;

   private:
    threads::atomic<bool>& taken_;
  };

  void step() { steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  invocation replace(const invocation& by) {
    const short_lock lock(taken_);
    const invocation before = timed_;
    timed_ = by;
    return before;
  }

  // Both relaxed: a read holds for a moment only, and the watchdog reads again a quarter of a second later.
  threads::atomic<const error_site*> at_{nullptr};
  threads::atomic<std::uint64_t> steps_{0};
  mutable threads::atomic<bool> taken_{false};  // guards timed_ and the life of its input
  invocation timed_;
};

}  // namespace weir::detail
