#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/engine/hang.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/pause.hpp"

namespace weir::detail {

class entity;
struct record_body;

// Where a thread is in the user's code, for the watchdog to see from outside. What the thread does here on its way
// through short boxes is a plain store each.
class at_work {
 public:
  // An invocation that is timed. Plain data; no entity: none.
  struct invocation {
    const entity* at = nullptr;
    const record_body* input = nullptr;
    double x = 0;
    int cores = 0;
    double since = 0;        // by the platform's clock
    std::uint64_t step = 0;  // as it began; later when it has emitted since
  };

  // ---- by the thread itself ----

  // The user's code at this stage is called.
  void enter(const entity& s) {
    check_no_locks("the user's code is called");
    at_.store(&s, std::memory_order_relaxed);
  }
  // It has emitted, and goes on.
  void goes_on(const entity& s) {
    step();
    enter(s);
  }
  // No code of the user's runs from here on.
  void leave() {
    step();
    at_.store(nullptr, std::memory_order_relaxed);
  }

  // An invocation begins, within another when that one emits; what begin() returns, its end() takes.
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
    const entity* at = nullptr;  // null: it is not in the user's code
    std::uint64_t step = 0;      // another: it has gone on meanwhile
    std::string path;            // of a timed invocation, as is what follows; empty: it is none
    invocation timed;
  };
  sight read() const;

  // What it saw last, and what it made of that.
  struct {
    const entity* at = nullptr;
    std::uint64_t step = 0;
    double since = 0;    // by the platform's clock
    bool hangs = false;  // it was said
  } watched;

 private:
  // Between the thread and the watchdog, which keeps it while it writes down a path.
  class short_lock {
   public:
    explicit short_lock(std::atomic<bool>& taken) : taken_(taken) {
      while (taken_.exchange(true, std::memory_order_acquire)) pause();
    }
    ~short_lock() { taken_.store(false, std::memory_order_release); }
    short_lock(const short_lock&) = delete;

   private:
    std::atomic<bool>& taken_;
  };

  void step() { steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  invocation replace(const invocation& by) {
    const short_lock lock(taken_);
    const invocation before = timed_;
    timed_ = by;
    return before;
  }

  // Relaxed both: what is read of them is a moment's, and looked at again a quarter of a second later.
  std::atomic<const entity*> at_{nullptr};
  std::atomic<std::uint64_t> steps_{0};
  mutable std::atomic<bool> taken_{false};  // guards timed_ and its input's life
  invocation timed_;
};

}  // namespace weir::detail
