#include "runtime/machine/process.hpp"

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

#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/machine_user.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {
namespace {

struct all_runs {
  WEIR_LOCK(process) mutex;  // no other lock is held with it, except in a box or callback that calls exit()
  std::vector<std::pair<machine_user*, core_ledger*>> runs;
  threads::atomic<bool> exiting{false}, forked{false};
  std::thread::id exits;  // written before `exiting`
};

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

void on_exit() {
  all_runs& all = here();
  if (all.forked.load()) return;
  all.exits = std::this_thread::get_id();
  all.exiting.store(true, std::memory_order_release);
  std::vector<std::stop_source> boxes;  // asked to stop without the lock: that may run the user's callbacks
  {
    const lock_guard lock(all.mutex);
    for (const auto& [run, ledger] : all.runs) boxes.push_back(run->freeze());
  }
  for (const std::stop_source& one : boxes) one.request_stop();
  const lock_guard lock(all.mutex);
  if (all.runs.empty()) return;
  // At least as long as a thread that calls send() in a loop takes to come to rest there. At most longer than most
  // invocations take, and still a short wait for the end of a process.
  constexpr int least = 10, most = 1000;  // milliseconds
  for (int i = 0; i < least || (i < most && !is_quiet(all.runs)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void after_fork() { here().forked.store(true); }

// Registers the two handlers, once, before any thread of a run exists.
void look_out() {
  static const bool once = [] {
    ::pthread_atfork(nullptr, nullptr, after_fork);
    return std::atexit(on_exit) == 0;
  }();
  (void)once;
}

}  // namespace

process::with::with(machine_user& run, core_ledger& ledger) : run_(run) {
  look_out();
  const lock_guard lock(here().mutex);
  here().runs.emplace_back(&run, &ledger);
}

process::with::~with() {
  const lock_guard lock(here().mutex);
  std::erase_if(here().runs, [&](const auto& one) { return one.first == &run_; });
}

void process::refuse_in_child(const char* call) {
  if (here().forked.load())
    throw std::logic_error(std::string(call) +
                           ": this process was made by fork() from one that had runs, whose threads are not here; "
                           "start the first run after fork(), or call exec");
}

bool process::is_exiting() noexcept { return here().exiting.load(std::memory_order_acquire); }

bool process::goes_on() noexcept { return !is_exiting() && !here().forked.load(); }

bool process::may_destroy(const machine_user& run) noexcept {
  if (here().forked.load()) return false;
  return is_exiting() ? !inside_call::any() : !inside_call::of(run.identity());
}

void process::hold_others() noexcept {
  if (!is_exiting() || here().exits == std::this_thread::get_id()) return;
  for (;;) ::pause();
}

}  // namespace weir::detail
