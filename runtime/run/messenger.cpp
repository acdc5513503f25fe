#include "runtime/run/messenger.hpp"

#include <iterator>
#include <system_error>
#include <utility>

#include "runtime/machine/log.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/this_process.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/streams/run_life.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

messenger::messenger(run_life& life, run_owner& run, const observation_listener& on_observation,
                     const hang_listener& on_hang, platform& on)
    : life_(life), run_(run), on_observation_(on_observation), on_hang_(on_hang), platform_(on) {}

messenger::~messenger() { finish(); }

void messenger::put(message m) {
  const lock_guard lock(mutex_);
  waiting_.push_back(std::move(m));
  untold_.fetch_add(1, std::memory_order_relaxed);
  arrived_.notify_one();
}

void messenger::put_all(std::vector<message>& those) {
  if (those.empty()) return;
  const lock_guard lock(mutex_);
  waiting_.insert(waiting_.end(), std::make_move_iterator(those.begin()), std::make_move_iterator(those.end()));
  untold_.fetch_add(those.size(), std::memory_order_relaxed);
  those.clear();
  arrived_.notify_one();
}

void messenger::wait_until_told_some() {
  unique_lock lock(mutex_);
  told_.wait(lock, [&] { return !is_behind() || life_.is_stopping(); });
}

void messenger::wake() {
  const lock_guard lock(mutex_);
  told_.notify_all();
}

bool messenger::start() noexcept {
  if (has_thread_.load()) return true;
  if (!platform_.has_threads()) return false;
  try {
    thread_ = kept_threads::start(platform_, [this] { work(); });
    has_thread_.store(true);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return has_thread_.load();
}

void messenger::work() noexcept {
  unique_lock lock(mutex_);
  for (;;) {
    while (is_telling_ || (waiting_.empty() && !ends_)) arrived_.wait(lock);
    if (waiting_.empty()) return;
    tell_some(lock);
  }
}

// Tells the messages that wait at this moment, without the lock.
void messenger::tell_some(unique_lock<mutex<lock_place::messages>>& lock) noexcept {
  is_telling_ = true;
  telling_.swap(waiting_);
  lock.unlock();
  {
    const inside_call now(&run_);
    for (const message& m : telling_) {
      tell(m);
      untold_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  telling_.clear();
  lock.lock();
  is_telling_ = false;
  told_.notify_all();
  arrived_.notify_one();  // the run's thread waits while another tells
}

void messenger::tell_here() noexcept {
  unique_lock lock(mutex_);
  while (!is_telling_ && !waiting_.empty()) tell_some(lock);
}

void messenger::tell_all() noexcept {
  if (inside_call::of(&run_)) return;
  unique_lock lock(mutex_);
  while (is_telling_ || !waiting_.empty())
    if (is_telling_ || has_thread_.load())  // the caller of tell_here() may be another thread, such as the controller's
      told_.wait(lock);
    else
      tell_some(lock);
}

void messenger::finish() noexcept {
  if (has_thread_.load()) {
    {
      const lock_guard lock(mutex_);
      ends_ = true;
      arrived_.notify_one();
    }
    thread_.join();
    has_thread_.store(false);
  }
  tell_here();
}

void messenger::tell(const message& m) noexcept {
  check_no_locks("a callback is called");
  if (this_process::is_exiting()) return;  // the objects that it would use may be gone
  const auto call = [&](const char* option, const auto& function) {
    try {
      try {
        function();
      } catch (...) {
        run_.note(thrown_by(std::string("options.") + option));
      }
    } catch (const std::bad_alloc&) {  // the note is lost
    }
  };
  if (const auto* seen = std::get_if<observed>(&m))
    call("on_observation", [&] { on_observation_(*seen->component, seen->what); });
  else if (const auto* h = std::get_if<hang>(&m))
    call("watchdog.on_hang", [&] { on_hang_(*h); });
  else if (const auto* sentence = std::get_if<std::string>(&m))
    log_warning(*sentence);
  else
    life_.boxes().request_stop();
}

}  // namespace weir::detail
