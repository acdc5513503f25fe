#include "runtime/engine/worker_pool.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/this_process.hpp"
#include "runtime/streams/run_life.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {

// Reserves memory, so that the next insertion asks for none.
template <class T>
void make_room(std::vector<T>& in) {
  if (in.size() == in.capacity()) in.reserve(2 * in.size() + 1);
}

}  // namespace

worker_pool::visit::~visit() {
  if (!is_in_) return;
  visited_.store(false, std::memory_order_release);
  visited_.notify_all();
}

bool worker_pool::start(int core, void (*job)(group& in_group, worker& me), group& in_group) noexcept {
  const lock_guard lock(mutex_);
  if (life_.is_stopping()) return false;
  const auto refused = [this](const std::exception& e) {
    try {
      run_.note(std::string("a thread could not be started: ") + e.what());
    } catch (const std::bad_alloc&) {
    }
    return false;
  };
  try {
    const auto free = std::find_if(workers_.begin(), workers_.end(),
                                   [](const auto& w) { return w->is_free.load(std::memory_order_acquire); });
    const auto at = static_cast<std::size_t>(free - workers_.begin());
    if (free == workers_.end()) {
      make_room(threads_);
      make_room(workers_);
      workers_.push_back(std::make_unique_for_overwrite<worker>());  // its room for observations is not touched
      threads_.emplace_back();
    }
    worker& w = *workers_[at];
    w.begin_anew(in_group, core);
    try {
      started_thread now = kept_threads::start(platform_, [this, job, &in_group, &w] { serve(job, in_group, w); });
      if (threads_[at].joinable()) threads_[at].join();  // that has ended
      threads_[at] = std::move(now);
    } catch (...) {
      w.is_free.store(true, std::memory_order_relaxed);
      throw;
    }
    return true;
  } catch (const std::system_error& e) {
    return refused(e);
  } catch (const std::bad_alloc& e) {
    return refused(e);
  }
}

void worker_pool::serve(void (*job)(group& in_group, worker& me), group& in_group, worker& me) noexcept {
  {
    const inside_call now(&run_);
    const own_thread mine;
    me.stack = stack_room::of_this_thread();
    job(in_group, me);
    end_thread(me);
  }
  me.is_free.store(true, std::memory_order_release);
}

// An ending thread runs destructors of libraries, which may be ending themselves.
void worker_pool::end_thread(worker& w) noexcept {
  if (this_process::is_exiting()) may_end_.wait(false);
  w.kept.end_all();
}

void worker_pool::run_on_new_stack(worker& w, const std::function<void()>& work) {
  core_holder* const holder = working_as::current();
  const tied_to_lease meanwhile(w);  // the calling thread stays bound as it is
  started_thread other = kept_threads::start(platform_, [&] {
    const inside_call now(&run_);
    const own_thread mine;
    std::optional<working_as> it;
    if (holder) it.emplace(*holder);
    const stack_room outer = std::exchange(w.stack, stack_room::of_this_thread());
    const void* const outer_name = w.named_for;  // the new thread has the same
    kept_values outer_kept;
    outer_kept.swap(w.kept);
    work();
    end_thread(w);
    w.kept.swap(outer_kept);
    w.named_for = outer_name;
    w.stack = outer;
  });
  other.join();
}

void worker_pool::join() noexcept {
  std::vector<started_thread> threads;
  {
    // Workers start workers only while the run is not stopping, so all threads that were started are in the list.
    const lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  may_end_.store(true);
  may_end_.notify_all();
  const off_cores meanwhile;
  for (started_thread& t : threads)
    if (t.joinable()) t.join();
  visited_.wait(true);
}

}  // namespace weir::detail
