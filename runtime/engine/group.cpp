#include "runtime/engine/group.hpp"

#include <algorithm>
#include <functional>
#include <new>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/engine/worker.hpp"
#include "runtime/machine/arena.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {
thread_local const group* will_poll = nullptr;
}

group::poll_pending::poll_pending(const group* to) { will_poll = to; }
group::poll_pending::~poll_pending() { will_poll = nullptr; }

bool group::enqueue(schedulable& r) noexcept {
  unique_lock lock(mutex_);
  if (r.in_group.load() != this) return false;
  try {
    list_.add(r);
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
    return true;  // the run ends, so no worker will do that work
  }
  // A wake-up costs more than most regions have to do, and a thread that brings a record has it in its cache.
  if (list_.size() > 1 || will_poll != this) wake_thread(lock, &r);
  return true;
}

void group::move(schedulable& r, group& to) noexcept {
  group* from = r.in_group.load();
  if (from == &to) return;
  if (!from) {
    r.in_group.store(&to);
    return;
  }
  std::size_t times = 0;
  {
    const lock_guard lock(from->mutex_);
    times = from->list_.remove(r);  // before the others see where it is: they list it under another lock
    r.in_group.store(&to);
  }
  for (; times > 0;) times -= r.in_group.load()->enqueue(r);
}

void group::set_leases(const std::vector<core_set>& lanes, const core_set& shared_cores) {
  std::vector<group_leases::lease> gone;  // destroyed without the lock
  {
    unique_lock lock(mutex_);
    gone = leases_.set(run_.cores, lanes, shared_cores);
    wake_threads(lock, leases_.count());
  }
  run_.cores.ledger().recheck();
}

void group::set_leases_outside(int count) {
  const lock_guard lock(mutex_);
  leases_.add_outside(run_.cores, count);
}

int group::lease_count() const {
  const lock_guard lock(mutex_);
  return static_cast<int>(leases_.count());
}

// A worker as a holder of cores, for its waits inside an invocation.
class group::holder final : public core_holder {
 public:
  explicit holder(worker& w) : w_(w) {}
  bool is_on_cores() const noexcept override { return w_.lease && !w_.has_released; }
  void leave_cores() noexcept override { w_.in_group->release(w_); }
  void return_to_cores(bool any) noexcept override { w_.in_group->reacquire(w_, any); }

 private:
  worker& w_;
};

void group::work(worker& w) noexcept {
  run_.platform.unbind();  // it has the binding of the thread that started it
  run_.floats.state().keep_all();
  w.thread.remember();
  holder cores_of_mine(w);
  const working_as it(cores_of_mine);
  unique_lock lock(mutex_);
  --starting_;
  // A thread that keeps nothing of the user's need not wait for the end of a run without work.
  while (!run_.life.is_stopping() && !(run_.life.has_drained() && w.kept.is_empty())) {
    if (w.has_delegated() && run_delegated(w, lock)) continue;
    std::shared_ptr<core_lease> s = list_.size() == 0 ? nullptr : leases_.use_free(w.last_core);
    if (!s) {
      // A worker that keeps values of each_lane() stays: they would be lost, and cost more than a thread. A worker
      // whose values were made on a stack that is gone stays as well, since others may delegate invocations to it.
      const bool stays = !w.kept.is_empty() || !w.owns.empty();
      if (!stays && !run_.cores.acquire_park_permit()) {
        --threads_;  // another is started when there is work
        return;
      }
      parked_.park(w, lock, [&] { return run_.life.is_stopping(); });
      if (!stays) run_.cores.release_park_permit();
      continue;
    }
    lock.unlock();
    if (run_.cores.ledger().take(*s, run_.life.stopping_flag())) {
      run_.cores.work_begins();
      w.lease = s;
      begin_slice(w);
      try {
        run_on(w, *s);
      } catch (const std::bad_alloc&) {
        run_.out_of_memory();
      }
      s = std::exchange(w.lease, nullptr);  // an invocation may have gone on elsewhere
      run_.cores.ledger().give_back(*s);
    }
    lock.lock();
    leases_.leave(s);
    wake_thread(lock);  // regions may be left: this thread may have been asked to release its cores
  }
}

// On the cores of the thread that waits for it, also where a new allotment has dropped its lease meanwhile: it waits in
// the middle of an activation. False: others have taken them all.
bool group::run_delegated(worker& w, unique_lock<group_mutex>& lock) noexcept {
  lane_value_owners* of = nullptr;
  delegated_invocation* next = nullptr;
  for (auto h = w.owns.begin(); h != w.owns.end() && !next; ++h) next = (of = *h)->take();
  if (!next) return false;
  lock.unlock();
  try {
    run_on_lease(w, next->on, true, [&] { next->run(w); });
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
  of->has_run(*next);
  lock.lock();
  return true;
}

bool group::run_on_lease(worker& w, const std::shared_ptr<core_lease>& on, bool even_if_revoked,
                         const std::function<void()>& work) {
  if (!run_.cores.ledger().take(*on, run_.life.stopping_flag(), even_if_revoked)) return false;
  run_.cores.work_begins();
  const std::shared_ptr<core_lease> before = std::exchange(w.lease, on);
  const auto give_back = [&] {
    run_.cores.ledger().give_back(*on);
    w.lease = before;
  };
  begin_slice(w);
  const tied_to_lease meanwhile(w);
  try {
    w.last_core = on->own_core();
    if (run_.cores.bind(w.bound, *on, binds_to_lane_)) w.thread.remember_cores();
    in_arena(w, *on, work);
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
  return true;
}

bool group::run_on_idle_cores(worker& w, const schedulable& from, const group_share& part, bool binds_to_all,
                              const std::function<void()>& work) {
  if (!divides_idle_cores_.load(std::memory_order_relaxed) || !run_.platform.has_threads()) return false;
  // The thread of a guest is bound to nothing.
  if (w.helping > 0 || w.has_released.load(std::memory_order_relaxed) || w.bound.cores.empty()) return false;
  const std::shared_ptr<core_lease> own = w.lease, all = join_idle_cores(w, from, part);
  if (!all) return false;
  if (!run_.cores.ledger().take_more(*own, *all)) {
    leave_idle_cores(all, own);
    return false;
  }
  const tied_to_lease meanwhile(w);
  pinned_arena* const own_arena = std::exchange(w.arena, nullptr);
  w.lease = all;
  const double began = run_.life.now();
  const auto go_back = [&] {
    w.further_core_seconds += (all->cores.size() - 1) * (run_.life.now() - began);
    w.lease = own;
    w.arena = own_arena;
    if (run_.cores.bind(w.bound, *own, binds_to_lane_)) w.thread.remember_cores();  // before others have the rest
    run_.cores.ledger().keep_part(*all, *own);
    leave_idle_cores(all, own);
  };
  try {
    if (run_.cores.bind(w.bound, *all, binds_to_all)) w.thread.remember_cores();
    in_arena(w, *all, work);
  } catch (...) {
    go_back();
    throw;
  }
  go_back();
  return true;
}

// Null: there are none, or none to spare.
std::shared_ptr<core_lease> group::join_idle_cores(const worker& w, const schedulable& from, const group_share& part) {
  const lock_guard lock(mutex_);
  const int cores = static_cast<int>(leases_.count());
  if (!leases_.has(w.lease) || list_.size() > leases_.count()) return nullptr;
  group_work ahead(cores, leases_.free(), leases_.threads() - 1);
  list_.add_waiting(ahead, from, part.seconds);
  const int further = ahead.cores_of_next(part.most_cores) - 1;
  return further > 0 ? leases_.join(run_.cores, w.lease, further) : nullptr;
}

void group::leave_idle_cores(const std::shared_ptr<core_lease>& all, const std::shared_ptr<core_lease>& own) noexcept {
  unique_lock lock(mutex_);
  leases_.leave(all);
  leases_.use(own);
  wake_threads(lock, all->parts.size() - 1);
}

void group::begin_slice(worker& w) const {
  const double slice = w.lease->oversubscribes ? std::chrono::duration<double>(core_ledger::patience).count()
                                               : time_slice_.load(std::memory_order_relaxed);
  w.stays_until = slice > 0 ? run_.life.now() + slice : 0;
}

void group::run_on(worker& w, core_lease& s) {
  w.last_core = s.own_core();
  if (!w.bound.cores.empty()) run_.check_thread_state_if_due(w);
  if (run_.cores.bind(w.bound, s, binds_to_lane_)) w.thread.remember_cores();
  run_.floats.state().keep_all();
  const auto activations = [&] {
    // At least one activation: a holder with waiters is asked to leave as soon as it has the cores. Several runs on one
    // core would then pass that core round and never work.
    do {
      schedulable* const r = run_.life.is_stopping() ? nullptr : take_next();
      if (!r) return;
      r->attend(w);
      run_.life.finish_work();
    } while (!is_to_leave(w) && !w.has_delegated());
  };
  in_arena(w, s, activations);
}

void group::run_inline(worker& guest) noexcept {
  holder cores_of_mine(guest);
  const working_as it(cores_of_mine);
  unique_lock lock(mutex_);
  const std::shared_ptr<core_lease> s = list_.size() == 0 ? nullptr : leases_.use_free(guest.last_core);
  if (!s) return wake_thread(lock);
  ++threads_;  // counted as one of them meanwhile: it may have to release its cores
  lock.unlock();
  if (run_.cores.ledger().take_if_free(*s)) {
    run_.cores.work_begins();
    guest.lease = s;
    guest.stack = stack_room::of_this_thread();
    guest.stays_until = 0;
    const tied_to_lease meanwhile(guest);  // its thread is bound to nothing
    const float_state::scope as_started(run_.floats.state());
    try {
      in_arena(guest, *s, [&] {
        constexpr int most = 8;
        for (int i = 0; i < most && !is_to_leave(guest) && !run_.life.is_stopping(); ++i) {
          schedulable* const r = take_next(true);
          if (!r) return;
          r->attend_once(guest);
          run_.life.finish_work();
        }
      });
    } catch (const std::bad_alloc&) {
      run_.out_of_memory();
    }
    guest.lease = nullptr;
    run_.cores.ledger().give_back(*s);
  }
  lock.lock();
  --threads_;
  leases_.leave(s);
  wake_thread(lock);
}

void group::tidy(worker& w) noexcept {
  if (w.arena) w.arena->run_leftovers(w.helping > 0);
  run_.floats.state().keep_all();
  run_.check_thread_state_if_due(w);
}

template <class Work>
void group::in_arena(worker& w, const core_lease& s, const Work& work) {
  auto arena = run_.cores.arenas().borrow(s);
  if (!arena) return work();
  w.arena = arena.get();
  try {
    arena->run(std::ref(work));
  } catch (...) {
    w.arena = nullptr;
    throw;
  }
  w.arena = nullptr;
  run_.cores.arenas().give_back(*w.lease, std::move(arena));
}

bool group::is_to_leave(const worker& w) const {
  const core_lease& s = *w.lease;
  return s.revoked.load(std::memory_order_relaxed) ||
         (s.leave.load(std::memory_order_relaxed) && run_.life.now() >= w.stays_until);
}

schedulable* group::take_next(bool for_sender) {
  if (!has_listed()) return nullptr;
  const lock_guard lock(mutex_);
  return list_.take_next(for_sender, static_cast<int>(leases_.count()));
}

void group::set_weight(schedulable& r, double weight) noexcept {
  const lock_guard lock(mutex_);
  if (r.in_group.load() == this) r.weight = weight;
}

void group::charge(schedulable& r, double seconds) noexcept {
  const lock_guard lock(mutex_);
  if (r.in_group.load() == this) list_.charge(r, seconds);
}

void group::go_on_with(schedulable* brought, worker& w) noexcept {
  if (!has_listed()) return;
  unique_lock lock(mutex_);
  if (brought && brought->may_batch() && list_.take(*brought)) {
    lock.unlock();
    brought->attend_once(w);
    run_.life.finish_work();
    lock.lock();
  }
  wake_thread(lock);
}

bool group::keeps_others_waiting(worker& w) const {
  constexpr double long_enough = 5e-3;  // changing threads is cheap in comparison
  if (w.lease->leave.load(std::memory_order_relaxed) && run_.life.now() >= w.stays_until) return true;
  const std::uint32_t taken = list_.taken_hint();
  const bool others_wait = list_.size_hint() > 1;  // usually one of them is helped
  if (!others_wait || taken != w.taken_when_helped) {
    w.taken_when_helped = taken;
    w.helps_alone_since = 0;
    return false;
  }
  const double now = run_.life.now();
  if (w.helps_alone_since == 0) w.helps_alone_since = now;
  return now - w.helps_alone_since >= long_enough;
}

void group::attend_on_new_stack(schedulable& r, worker& w) noexcept {
  try {
    run_.workers.run_on_new_stack(w, [&] { r.attend(w); });
  } catch (const std::exception&) {  // the system gives no thread: the rest of this stack may be enough
    r.attend(w);
  }
}

bool group::run_one(worker& w) {
  schedulable* const r = take_next();
  if (!r) return false;
  const auto outer = w.lease;
  {
    const lock_guard lock(mutex_);
    w.lease = leases_.count() == 0 ? run_.cores.whole() : leases_.front();
  }
  {
    const float_state::scope as_started(run_.floats.state());
    const stack_room outer_stack = std::exchange(w.stack, stack_room::of_this_thread());
    if (w.stack.has_more())
      r->attend(w);
    else
      attend_on_new_stack(*r, w);
    w.stack = outer_stack;
  }
  w.lease = outer;
  run_.life.finish_work();
  return true;
}

void group::release(worker& w) noexcept {
  if (w.arena) w.arena->run_leftovers(true);  // the awaited record may depend on them
  w.has_released = true;
  ++w.releases;
  run_.cores.ledger().give_back(*w.lease);
  unique_lock lock(mutex_);
  ++blocked_;
  leases_.leave(w.lease);
  wake_threads(lock, std::max<std::size_t>(1, w.lease->parts.size()));
}

// A stop does not cancel this, since the box goes on running; the present holder of the cores releases them soon.
void group::reacquire(worker& w, bool any) noexcept {
  // A grant never changes inside an invocation. A box that has bound its thread stays where it is.
  any = any && w.tied == 0 && w.thread.has_its_cores();
  std::shared_ptr<core_lease> s = w.lease;
  std::shared_ptr<core_ledger::lease_list> others;
  core_lease* got = nullptr;
  for (bool is_first = true; !got; is_first = false) {
    {
      const lock_guard lock(mutex_);
      if (is_first) --blocked_;
      if (!is_first) leases_.leave(s);  // the group has other leases now
      others = any ? leases_.all() : nullptr;
      s = any ? leases_.use_again(w.lease) : w.lease;
      if (!any) leases_.use(s);
    }
    got = run_.cores.ledger().take_any(*s, others.get());
  }
  if (got != s.get()) {
    unique_lock lock(mutex_);
    leases_.leave(s);
    s = *std::ranges::find_if(others->leases, [&](const auto& o) { return o.get() == got; });
    leases_.use(s);
    wake_thread(lock);  // for the lease that this worker no longer waits for
  }
  if (s != w.lease) move_to(w, std::move(s));
  w.has_released = false;
  run_.cores.work_begins();
  begin_slice(w);
}

// In the middle of an invocation, on cores that the thread has taken. The thread stays in its arena. It was bound to
// one core before, so binding allocates nothing.
void group::move_to(worker& w, std::shared_ptr<core_lease> s) noexcept {
  w.lease = std::move(s);
  w.last_core = w.lease->own_core();
  if (run_.cores.bind(w.bound, *w.lease, binds_to_lane_)) w.thread.remember_cores();
  if (w.arena) w.arena->move_to(w.last_core);
}

void group::wake_all() {
  const lock_guard lock(mutex_);
  parked_.wake_all();
}

// wake_thread() for each of these leases that became free, where there is work for it.
void group::wake_threads(unique_lock<group_mutex>& lock, std::size_t leases) noexcept {
  for (std::size_t left = std::min(leases, list_.size()); left > 0; --left) wake_thread(lock);
}

// Called with the lock held, after a region was listed (`brought`, if by this thread) or a lease became free. Releases
// the lock while it wakes a thread: on this core that thread may run immediately, and would have to wait for the lock.
void group::wake_thread(unique_lock<group_mutex>& lock, const schedulable* brought) noexcept {
  if (list_.size() == 0 || !run_.platform.has_threads()) return;
  if (!leases_.any_free([](int) { return true; })) return;
  const bool is_sender = brought && !inside_call::any();
  const int near = is_sender ? core_of_sender(*brought) : -1;
  parked_threads::parked* chosen = near >= 0 ? parked_.on(near) : parked_by_free_lease(is_sender);
  // A thread may start slowly, and each activation comes here meanwhile: threads on their way take the listed regions.
  const bool wants_new = (parked_.is_empty() || (near >= 0 && !chosen)) && starting_ < list_.size();
  if (wants_new && threads_ - blocked_ < static_cast<int>(leases_.count()) && !run_.life.is_stopping()) {
    const auto job = [](group& in_group, worker& me) { in_group.work(me); };
    if (run_.workers.start(near, job, *this)) {
      ++threads_;
      ++starting_;
      return;
    }
    if (threads_ - blocked_ == 0 && !run_.life.is_stopping()) run_.lacks_threads(name_);
  }
  if (parked_.is_empty()) return;
  if (!chosen) {
    chosen = &parked_.longest();  // asleep for the longest: others run where it ran
    if (near >= 0) chosen->who.last_core = near;
  }
  worker& w = parked_.wake(*chosen);
  lock.unlock();
  w.wake.notify_one();
  if (near >= 0) threads::yield();  // else it waits until the sender sleeps or the sender's slice is over
  lock.lock();
}

void group::wake_for_delegated(worker& w) noexcept {
  const lock_guard lock(mutex_);
  if (parked_threads::parked* const asleep = parked_.of(w))  // else it looks for delegated invocations before it parks
    parked_.wake(*asleep).wake.notify_one();
}

// The core of the sender that brings a record to this region, if the record should be served there; else -1. It should
// when the network is at rest, all its regions allow inline sends, the sender comes seldom, and a lease on its core is
// free. That core is awake; waking another takes longer than all the rest, and the sender hardly notices.
int group::core_of_sender(const schedulable& brought) {
  if (!allows_inline_send_.load(std::memory_order_relaxed) || list_.size() > 1 || !brought.allows_inline_send())
    return -1;
  const double now = run_.life.now();
  const bool may_serve = may_serve_sender(now);
  note_inline_send(now);
  if (!may_serve) return -1;
  const int here = run_.platform.current_core();
  return leases_.any_free([&](int core) { return core == here; }) ? here : -1;
}

// A parked thread that would stay on its core; null when there is none. For a sender, if possible, one that leaves it
// its core: it is about to send more.
parked_threads::parked* group::parked_by_free_lease(bool for_sender) {
  const int here = for_sender ? run_.platform.current_core() : -1;
  parked_threads::parked* found = nullptr;
  leases_.any_free([&](int core) {
    if (parked_threads::parked* const s = parked_.on(core)) found = s;
    return found && found->who.last_core != here;
  });
  return found;
}

}  // namespace weir::detail
