#include "runtime/machine/machine_state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <weir/record/errors.hpp>
#include "runtime/machine/float_state.hpp"
#include "runtime/machine/this_process.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {
constexpr std::chrono::milliseconds first_check(10);  // a run that is over by then needs none; it costs 0.2 ms
}  // namespace

machine_state::machine_state(std::shared_ptr<detail::platform> p)
    : platform_(std::move(p)),
      ledger_(platform_->cores()->size()),
      arenas_(*platform_, known_.binding_refused, others_) {}

void machine_state::join(machine_user& run) {
  const lock_guard lock(runs_mutex_);
  runs_.push_back(&run);
  try {
    if (runs_.size() == 1) budget_.begin();
    divide(budget_.used(), runs_.size() - 1, runs_.size() - 1);
    if (runs_.size() == 1) begin();
  } catch (...) {
    runs_.pop_back();
    if (runs_.empty()) budget_.end();
    throw;
  }
  set_known(run, true);
}

void machine_state::set_at_rest(bool is) noexcept {
  const lock_guard lock(mutex_);
  sleep_.is_at_rest = is;
  if (is && sleep_.sleeps_long) wake_.notify_one();
}

void machine_state::set_known(machine_user& run, bool is) noexcept {
  const lock_guard lock(mutex_);
  run.is_known_ = is;
  if (!is && run.is_linked()) called_.erase(called_.iterator_to(run));
}

bool machine_state::is_in_use() {
  const lock_guard lock(runs_mutex_);
  return !runs_.empty() || clearing_ > 0;
}

void machine_state::begin() {
  if (!platform_->has_threads()) return;
  set_at_rest(false);
  if (!controller_.has_ended) return;
  controller_.end = std::stop_source();
  if (controller_.thread.joinable()) controller_.thread.join();
  try {
    controller_.thread = kept_threads::start(*platform_, [this, end = controller_.end.get_token()] { control(end); });
    controller_.has_ended = false;
  } catch (const std::system_error& e) {
    throw run_error({failure_kind::no_thread, "", "the controller", "",
                     std::string("no thread could be started to run it: ") + e.what()});
  }
}

started_thread machine_state::stop_controller() noexcept {
  controller_.end.request_stop();
  controller_.has_ended = true;
  const lock_guard lock(mutex_);
  wake_.notify_one();
  return std::move(controller_.thread);
}

void machine_state::end_controller() noexcept {
  started_thread last;
  {
    const lock_guard lock(runs_mutex_);
    last = stop_controller();
  }
  if (last.joinable()) last.join();
}

void machine_state::leave(machine_user& run) noexcept {
  started_thread last;
  bool is_last = false;
  {
    const off_cores meanwhile;
    unique_lock lock(runs_mutex_);
    while (visited_ == &run) visit_over_.wait(lock);
    // The last run takes its place, so that of many runs only one gets other cores.
    const auto at = std::find(runs_.begin(), runs_.end(), &run);
    const auto place = static_cast<std::size_t>(at - runs_.begin());
    if (at != runs_.end()) {
      *at = runs_.back();
      runs_.pop_back();
      is_last = runs_.empty();
    }
    set_known(run, false);
    if (is_last) {
      budget_.end();
      ++clearing_;
      if (platform_->keeps_threads())
        set_at_rest(true);
      else
        last = stop_controller();
    } else {
      try {
        divide(budget_.used(), runs_.size() + 1, place);
      } catch (const std::bad_alloc&) {  // then the others stay where they are
      }
    }
  }
  if (!is_last) return;
  const off_cores meanwhile;
  if (last.joinable()) last.join();
  arenas_.clear();  // without the lock: tasks left in them are the user's code
  const lock_guard lock(runs_mutex_);
  --clearing_;
}

// Gives each run an equal part of the cores in use, neighbours together. With more runs than cores, runs take turns on
// single cores; one more, or one less at this place, then changes the part of one. `before`: the number of runs, 0 when
// the cores have changed. Without memory it throws, and nothing has changed.
void machine_state::divide(const core_set& all, std::size_t before, std::size_t place) {
  const auto most = static_cast<std::size_t>(all.size());
  const auto parts = all.slices(static_cast<int>(std::min(runs_.size(), most)));
  const bool is_one = std::min(before, most) == parts.size();
  struct change {
    machine_user* run;
    core_set ours, its;
  };
  std::vector<change> changes;
  for (std::size_t i = is_one ? place : 0; i < (is_one ? std::min(place + 1, runs_.size()) : runs_.size()); ++i)
    if (const core_set& part = parts[i % parts.size()]; runs_[i]->part_ != part)
      changes.push_back({runs_[i], part, part});
  for (change& one : changes) {
    one.run->part_ = std::move(one.ours);
    one.run->set_partition(std::move(one.its));
  }
}

void machine_state::wake_controller(machine_user& run) noexcept {
  const lock_guard lock(mutex_);
  if (!run.is_known_ || run.is_linked()) return;
  called_.push_back(run);
  wake_.notify_one();
}

void machine_state::watch() {
  if (!platform_->has_threads() || watching_.exchange(true)) return;
  const lock_guard lock(mutex_);
  sleep_.woken = true;
  wake_.notify_one();
}

// By the controller's thread, without the lock, so that runs can come and go meanwhile; this one stays.
template <class Visit>
void machine_state::visit(machine_user& run, unique_lock<mutex<lock_place::runs>>& lock, Visit what) {
  visited_ = &run;
  lock.unlock();
  what(run);
  lock.lock();
  visited_ = nullptr;
  visit_over_.notify_all();
}

// One after the other. A run that replaces another one meanwhile is visited at the next sample.
template <class Visit>
void machine_state::visit_runs(const std::stop_token& ended, Visit what) {
  unique_lock lock(runs_mutex_);
  for (std::size_t i = 0; i < runs_.size() && !ended.stop_requested(); ++i) visit(*runs_[i], lock, what);
}

// Visits the runs that have called so far. A run that calls while it is visited is visited again, after the others.
void machine_state::visit_called(const std::stop_token& ended) {
  unique_lock lock(runs_mutex_);
  std::size_t count;
  {
    const lock_guard called(mutex_);
    count = called_.size();
  }
  for (; count > 0 && !ended.stop_requested(); --count) {
    machine_user* next = nullptr;
    {
      const lock_guard called(mutex_);
      if (called_.empty()) return;
      next = &called_.front();
      called_.pop_front();
    }
    visit(*next, lock, [](machine_user& run) {
      if (run.is_step_requested()) run.step_or_end();
      run.see_to_messages();
    });
  }
}

void machine_state::watch_runs(const std::stop_token& ended) {
  bool busy = false;
  if (is_in_use()) try {
      threads_.sample();
      others_.sample(budget_.used());
    } catch (const std::bad_alloc&) {  // the next sample covers it
    }
  visit_runs(ended, [&](machine_user& run) {
    try {
      busy = run.watch(threads_) || busy;
    } catch (const std::bad_alloc&) {  // the next sample covers it
      busy = true;
    }
  });
  if (busy) return;
  watching_.store(false, std::memory_order_relaxed);
  if (!ledger_.is_idle()) watching_.store(true, std::memory_order_relaxed);
}

void machine_state::look_at_overdue(const std::stop_token& ended) {
  visit_runs(ended, [](machine_user& run) {
    if (run.seconds_to_look() <= 0) run.step_if_overdue();
  });
}

// A run asks for a look in a step, which the controller's thread makes.
threads::clock::time_point machine_state::next_overdue() {
  double seconds = std::numeric_limits<double>::infinity();
  const lock_guard lock(runs_mutex_);
  for (const machine_user* const run : runs_) seconds = std::min(seconds, run->seconds_to_look());
  if (std::isinf(seconds)) return threads::clock::time_point::max();
  return threads::clock::now() +
         std::chrono::duration_cast<threads::clock::duration>(std::chrono::duration<double>(std::max(0.0, seconds)));
}

std::vector<std::string> machine_state::notes() const {
  std::vector<std::string> all = cores()->notes();
  if (std::string quota = budget_.quota_note(); !quota.empty()) all.push_back(std::move(quota));
  return all;
}

// Gains of several runs do not add up: their records differ.
core_gain machine_state::gain_of_runs() {
  core_gain found;
  unique_lock lock(runs_mutex_);
  if (runs_.size() == 1)
    visit(*runs_.front(), lock, [&](machine_user& run) {
      try {
        found = run.gain(permitted());
      } catch (const std::bad_alloc&) {  // not known, then
        found.clear();
      }
    });
  return found;
}

// Returns whether neighbours may come, so that the next look is to be soon. Without memory all stays as it is until
// then.
bool machine_state::look_at_cores() try {
  if (!is_in_use()) {
    budget_.rest();
    return false;
  }
  bool shares = true;
  {
    const lock_guard lock(runs_mutex_);
    for (const machine_user* run : runs_) shares = shares && run->shares_cores();
  }
  core_budget::finding found = budget_.look(shares, [this] { return gain_of_runs(); });
  std::vector<std::string> notes;
  {
    const lock_guard lock(runs_mutex_);
    if (runs_.empty() || found.cores == budget_.used()) return found.has_file;
    if (found.neighbours > 0) notes.push_back("Other processes of this user run networks: they share the cores.");
    if (found.is_quota_other)
      notes.push_back("The cores that this process may use have changed while it ran; now they are " +
                      to_string(permitted()) + '.');
    divide(found.cores, 0, 0);
    budget_.use(std::move(found.cores));
  }
  visit_runs({}, [&](machine_user& run) {
    try {
      for (const std::string& one : notes) run.note(one);
    } catch (const std::bad_alloc&) {  // the decisions say it, too
    }
  });
  return found.has_file;
} catch (const std::bad_alloc&) {
  return false;
}

// Until a run calls, or it is time to check or to look. False: the thread may end.
bool machine_state::sleep(const std::stop_token& ended, due& next) {
  const auto stays_until = threads::clock::now() + kept_threads::kept_for;
  unique_lock lock(mutex_);
  while (!sleep_.woken && called_.empty() && !ended.stop_requested()) {
    if (!this_process::is_exiting()) {
      if (watching_.load()) {
        if (!wake_.wait_until(lock, std::min({next.check, next.look, next.overdue}))) break;
        continue;
      }
      if (sleep_.is_at_rest) {
        if (!wake_.wait_until(lock, stays_until)) return false;
        continue;
      }
    }
    sleep_.sleeps_long = true;
    wake_.wait(lock);
    sleep_.sleeps_long = false;
  }
  if (std::exchange(sleep_.woken, false)) {
    const auto first = threads::clock::now() + first_check;
    next = {std::max(next.check, first), std::max(next.look, first), next.overdue};
  }
  return !ended.stop_requested();
}

// A thread that was told to end may have a successor, which waits for it.
bool machine_state::may_end(const std::stop_token& ended) {
  const lock_guard lock(runs_mutex_);
  if (!ended.stop_requested()) {
    if (!runs_.empty()) return false;
    controller_.has_ended = true;
  }
  controller_.is_at_work = false;
  visit_over_.notify_all();
  return true;
}

void machine_state::control(std::stop_token ended) {
  platform_->unbind();  // it has the binding of the thread that started the first run
  const standard_floats own;
  {
    unique_lock lock(runs_mutex_);
    while (controller_.is_at_work) visit_over_.wait(lock);
    controller_.is_at_work = true;
  }
  constexpr auto between_checks = std::chrono::milliseconds(250);
  constexpr auto between_looks = std::chrono::milliseconds(50);  // at neighbours, who wait for the answer
  due next{threads::clock::now() + first_check, threads::clock::now() + first_check, threads::clock::time_point::max()};
  bool looks_often = false;
  for (;;) {
    if (!sleep(ended, next)) {
      budget_.rest();
      if (may_end(ended)) return;
      continue;
    }
    if (this_process::is_exiting()) continue;
    visit_called(ended);
    const auto now = threads::clock::now();
    if (now >= next.overdue) look_at_overdue(ended);
    next.overdue = next_overdue();
    if (now >= next.look) {
      looks_often = look_at_cores();
      next.look = now + between_looks;
    }
    if (now >= next.check) {
      watch_runs(ended);
      visit_runs(ended, [](machine_user& run) { run.see_to_messages(); });
      next.check = threads::clock::now() + between_checks;
      if (!is_watching()) budget_.rest();
    }
    if (!looks_often) next.look = next.check;
  }
}

}  // namespace weir::detail
