#include "runtime/machine/kept_threads.hpp"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/machine/arena.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/process.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/thread_state.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// A thread that is kept, or has ended and may be started again. Never destroyed. Under the lock of all; while it is
// busy its own thread alone uses the body and the states.
struct kept_thread {
  enum { ended, busy, idle, ending } state = ended;
  condition wake;
  std::function<void()> body;
  thread_state inherited, made_with;  // from the threads that gave the body, and that started it
  float_state floats = float_state::now();
  std::uint64_t given = 0;                   // bodies so far
  threads::atomic<std::uint64_t> served{0};  // of those that have returned. release: hands over what they did
};

namespace {

struct kept_ones {
  WEIR_LOCK(kept_threads) mutex;
  std::vector<std::unique_ptr<kept_thread>> all WEIR_GUARDED_BY(mutex);
  std::vector<kept_thread*> idle WEIR_GUARDED_BY(mutex);  // the last to have worked is last
};
kept_ones& all_kept() {
  static auto* const it = new kept_ones;  // never destroyed: its threads are there until the process's end
  return *it;
}

void block_signals() noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// Waits until this thread has another body. False: it is to end.
bool await_body(kept_thread& me, unique_lock<mutex<lock_place::kept_threads>>& lock) WEIR_NOT_ANALYSED {
  const auto until = threads::clock::now() + kept_threads::kept_for;
  while (me.state == kept_thread::idle)
    if (process::is_exiting())
      me.wake.wait(lock);
    else if (!me.wake.wait_until(lock, until) && me.state == kept_thread::idle && !process::is_exiting())
      std::erase(all_kept().idle, &me), me.state = kept_thread::ending;
  if (me.state == kept_thread::ending) me.state = kept_thread::ended;
  return me.state == kept_thread::busy;
}

// The thread, from its start to its end.
void serve(kept_thread& me) noexcept WEIR_NOT_ANALYSED {
  const own_thread mine;
  kept_ones& of = all_kept();
  unique_lock lock(of.mutex);
  do {
    lock.unlock();
    me.inherited.put_back();
    me.floats.keep_all();
    me.body();
    me.body = nullptr;
    const bool may_stay = leave_onetbb();
    me.made_with.put_back();
    name_this_thread("weir");
    block_signals();
    lock.lock();
    // Idle before it is seen to have served: the caller's next run finds it.
    if (may_stay) of.idle.push_back(&me);
    me.state = may_stay ? kept_thread::idle : kept_thread::ending;
    me.served.fetch_add(1, std::memory_order_release);
    me.served.notify_all();
  } while (await_body(me, lock));
}

}  // namespace

void started_thread::join() {
  if (!kept_) return own_.join();
  const kept_thread* const one = std::exchange(kept_, nullptr);
  for (std::uint64_t served; (served = one->served.load(std::memory_order_acquire)) < number_;)
    one->served.wait(served, std::memory_order_acquire);
}

started_thread kept_threads::start(platform& on, std::function<void()> body) {
  if (!on.keeps_threads()) return on.start_thread(std::move(body));
  thread_state inherited;
  inherited.remember_inherited();
  kept_ones& of = all_kept();
  unique_lock lock(of.mutex);
  const auto last = std::find_if(of.idle.rbegin(), of.idle.rend(),
                                 [&](const kept_thread* one) { return one->made_with.has_schedule_of(inherited); });
  kept_thread* one = nullptr;
  if (last != of.idle.rend()) {
    one = *last;
    of.idle.erase(std::next(last).base());
  } else {
    for (const auto& any : of.all)
      if (any->state == kept_thread::ended) one = any.get();
    if (!one) {
      of.idle.reserve(of.all.size() + 1);  // to become idle takes no memory
      one = of.all.emplace_back(std::make_unique<kept_thread>()).get();
    }
    std::thread([one] { serve(*one); }).detach();
    one->made_with = inherited;
  }
  one->body = std::move(body);
  one->inherited = inherited;
  one->floats = float_state::now();
  one->state = kept_thread::busy;
  const std::uint64_t number = ++one->given;
  lock.unlock();
  one->wake.notify_one();
  return {*one, number};
}

int kept_threads::idle() {
  const lock_guard lock(all_kept().mutex);
  return static_cast<int>(all_kept().idle.size());
}

void kept_threads::end_idle() noexcept {
  const lock_guard lock(all_kept().mutex);
  for (kept_thread* const one : all_kept().idle) {
    one->state = kept_thread::ending;
    one->wake.notify_one();
  }
  all_kept().idle.clear();
}

}  // namespace weir::detail
