#include "runtime/machine/kept_threads.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdlib>

#include "runtime/machine/arena.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/this_process.hpp"
#include "runtime/machine/thread_state.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// A thread that is kept. It owns itself until it ends, and so do those that wait for its function. Under the lock of
// all; while it is busy its own thread alone uses the body and the states.
struct kept_thread : std::enable_shared_from_this<kept_thread>, boost::intrusive::list_base_hook<> {
  enum { busy, idle, ending } state = busy;
  condition wake;
  std::function<void()> body;
  thread_state inherited, made_with;  // from the threads that gave the body, and that started it
  float_state floats = float_state::now();
  std::uint64_t given = 1;                   // bodies so far
  threads::atomic<std::uint64_t> served{0};  // of those that have returned. release: hands over what they did
};

namespace {

struct kept_ones {
  WEIR_LOCK(kept_threads) mutex;
  boost::intrusive::list<kept_thread> idle WEIR_GUARDED_BY(mutex);  // the last to have worked is last
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

// A cancellation would unwind the waits of weir, some of which may not throw: the system would end the process.
void refuse_cancellation() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); }

// Waits until this thread has another body. False: it is to end.
bool await_body(kept_thread& me, unique_lock<mutex<lock_place::kept_threads>>& lock) WEIR_NOT_ANALYSED {
  const auto until = threads::clock::now() + kept_threads::kept_for;
  while (me.state == kept_thread::idle)
    if (this_process::is_exiting()) {
      me.wake.wait(lock);
    } else if (!me.wake.wait_until(lock, until) && me.state == kept_thread::idle && !this_process::is_exiting()) {
      all_kept().idle.erase(all_kept().idle.iterator_to(me));
      me.state = kept_thread::ending;
    }
  return me.state == kept_thread::busy;
}

// Whether the C library can note that this thread has an object to destroy at its end: it ends the process if it finds
// no memory for that. A block too large for the cache of a thread leaves room where it was.
bool can_note_an_object() noexcept {
  void* volatile const room = std::malloc(std::size_t{1} << 14);
  std::free(room);
  return room;
}

// Notes this thread as one of the program's own until it ends. The note is destroyed behind the thread_local objects of
// the functions. While it exists, the library that has this code is not unloaded.
void note_this_thread() noexcept { thread_local const own_thread mine; }

// The thread, from its start to its end. A thread that found no memory for its note serves one function, and no
// library may be unloaded before that has returned.
void serve(kept_thread& me) noexcept WEIR_NOT_ANALYSED {
  const bool is_noted = can_note_an_object();
  if (is_noted) note_this_thread();
  kept_ones& of = all_kept();
  unique_lock lock(of.mutex);
  do {
    lock.unlock();
    refuse_cancellation();
    me.inherited.put_back();
    me.floats.keep_all();
    me.body();
    me.body = nullptr;
    const bool may_stay = leave_onetbb() && is_noted;
    lock.lock();
    // Idle before it is seen to have served: the caller's next run finds it.
    if (may_stay) of.idle.push_back(me);
    me.state = may_stay ? kept_thread::idle : kept_thread::ending;
    lock.unlock();
    me.served.fetch_add(1, std::memory_order_release);
    me.served.notify_all();
    // No thread waits for the rest. Another body may be there by now.
    me.made_with.put_back();
    name_this_thread("weir");
    block_signals();
    lock.lock();
  } while (await_body(me, lock));
}

}  // namespace

void started_thread::join() {
  if (!kept_) return own_.join();
  const auto one = std::move(kept_);
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
                                 [&](const kept_thread& one) { return one.made_with.has_schedule_of(inherited); });
  if (last != of.idle.rend()) {
    const std::shared_ptr<kept_thread> one = last->shared_from_this();
    of.idle.erase(of.idle.iterator_to(*one));
    one->body = std::move(body);
    one->inherited = inherited;
    one->floats = float_state::now();
    one->state = kept_thread::busy;
    const std::uint64_t number = ++one->given;
    lock.unlock();
    one->wake.notify_one();
    return {one, number};
  }
  lock.unlock();
  const auto made = std::make_shared<kept_thread>();
  made->body = std::move(body);
  made->inherited = made->made_with = inherited;
  const std::uint64_t number = made->given;  // the thread may have another function before its start returns
  on.start_thread([made] { serve(*made); }).detach();
  return {made, number};
}

int kept_threads::idle() {
  const lock_guard lock(all_kept().mutex);
  return static_cast<int>(all_kept().idle.size());
}

void kept_threads::end_idle() noexcept {
  const lock_guard lock(all_kept().mutex);
  for (kept_thread& one : all_kept().idle) {
    one.state = kept_thread::ending;
    one.wake.notify_one();
  }
  all_kept().idle.clear();
}

}  // namespace weir::detail
