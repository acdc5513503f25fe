#include "runtime/machine/this_process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/machine_user.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {
namespace {

struct all_runs {
  WEIR_LOCK(process) mutex;  // no other lock is held with it, except in a box or callback that calls exit()
  std::vector<std::pair<machine_user*, core_ledger*>> runs;
  threads::atomic<bool> exiting{false}, forked{false};
  // Written before `exiting`.
  std::thread::id exits;
  std::chrono::steady_clock::time_point held_until;
};

// Other threads are held for this time, which is longer than the end of most processes takes.
constexpr std::chrono::seconds held_for(3);

all_runs& here() {
  static auto* const it = new all_runs;  // never destroyed: it is read during static destruction
  return *it;
}

bool is_quiet(const std::vector<std::pair<machine_user*, core_ledger*>>& runs) {
  std::set<core_ledger*> ledgers;
  for (const auto& [run, ledger] : runs) ledgers.insert(ledger);
  int at_work = 0;
  for (core_ledger* l : ledgers) at_work += l->holders();
  return at_work <= (working_as::any() ? 1 : 0);  // the caller's own lease
}

// The process still exists, so it may be waiting for a thread that waits for a run.
void wake_sleepers() {
  all_runs& all = here();
  std::this_thread::sleep_until(all.held_until);
  const lock_guard lock(all.mutex);
  for (const auto& [run, ledger] : all.runs) run->thaw();
}

void on_exit() {
  all_runs& all = here();
  if (all.forked.load()) return;
  all.exits = std::this_thread::get_id();
  all.held_until = std::chrono::steady_clock::now() + held_for;
  all.exiting.store(true, std::memory_order_release);
  std::vector<std::stop_source> boxes;  // asked to stop without the lock: that may run the user's callbacks
  {
    const lock_guard lock(all.mutex);
    for (const auto& [run, ledger] : all.runs) boxes.push_back(run->freeze());
  }
  for (const std::stop_source& one : boxes) one.request_stop();
  const lock_guard lock(all.mutex);
  if (all.runs.empty()) return;
  try {
    std::thread(wake_sleepers).detach();
  } catch (const std::exception&) {  // without a thread or memory they sleep on
  }
  // At least as long as a thread that calls send() in a loop takes to come to rest there. At most longer than most
  // invocations take, and still a short wait for the end of a process.
  constexpr int least = 10, most = 1000;  // milliseconds
  for (int i = 0; i < least || (i < most && !is_quiet(all.runs)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The lock is held over the fork, so that the child can use it: its copies of the runs are over.
void before_fork() WEIR_NOT_ANALYSED { here().mutex.lock(); }
void in_parent() WEIR_NOT_ANALYSED { here().mutex.unlock(); }
void in_child() WEIR_NOT_ANALYSED {
  here().forked.store(true);
  for (const auto& [run, ledger] : here().runs) run->freeze();
  here().mutex.unlock();
}

// Registers the two handlers, once, before any thread of a run exists.
void look_out() {
  static const bool once = [] {
    ::pthread_atfork(before_fork, in_parent, in_child);
    return std::atexit(on_exit) == 0;
  }();
  (void)once;
}

}  // namespace

this_process::with::with(machine_user& run, core_ledger& ledger) : run_(run) {
  look_out();
  const lock_guard lock(here().mutex);
  here().runs.emplace_back(&run, &ledger);
}

this_process::with::~with() {
  const lock_guard lock(here().mutex);
  std::erase_if(here().runs, [&](const auto& one) { return one.first == &run_; });
}

void this_process::refuse_in_child(const char* call) {
  if (here().forked.load())
    throw std::logic_error(std::string(call) +
                           ": this process was made by fork() from one that had runs, whose threads are not here; "
                           "start the first run after fork(), or call exec");
}

bool this_process::is_exiting() noexcept { return here().exiting.load(std::memory_order_acquire); }

bool this_process::goes_on() noexcept { return !is_exiting() && !here().forked.load(); }

bool this_process::may_destroy(const machine_user& run) noexcept {
  if (here().forked.load()) return false;
  return is_exiting() ? !inside_call::any() : !inside_call::of(run.identity());
}

void this_process::hold_others() noexcept {
  if (!is_exiting() || here().exits == std::this_thread::get_id()) return;
  std::this_thread::sleep_until(here().held_until);
}

}  // namespace weir::detail
