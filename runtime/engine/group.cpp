#include "runtime/engine/group.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <new>

#include "runtime/engine/run_environment.hpp"
#include "runtime/engine/worker.hpp"
#include "runtime/machine/arena.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {
thread_local const group::returning* soon_back = nullptr;

constexpr double longest_lag = 50e-3;  // seconds that others get at most before a region that had more than they
constexpr double least_turn = 20e-6;   // seconds that a turn counts at least: those of short batches are not timed
}

group::returning::returning(const group* to) : to_(to) { soon_back = this; }
group::returning::~returning() { soon_back = nullptr; }

bool group::enqueue(schedulable& r) noexcept {
  unique_lock lock(mutex_);
  if (r.home.load() != this) return false;
  if (ready_.full()) try {
      ready_.set_capacity(std::max<std::size_t>(16, 2 * ready_.capacity()));
    } catch (const std::bad_alloc&) {
      run_.out_of_memory();
      return true;  // the run ends, so no worker will do that work
    }
  // Idle time is not made up for.
  r.served = std::clamp(r.served, least_served_, least_served_ + longest_lag);
  const bool is_returning = soon_back && soon_back->to_ == this;
  ready_.push_back(&r);
  ready_count_.store(static_cast<int>(ready_.size()), std::memory_order_relaxed);
  // A wake-up costs more than most regions have to do, and a thread that brings a record has it in its cache.
  if (ready_.size() > 1 || !is_returning) need_thread(lock, &r);
  return true;
}

void group::move(schedulable& r, group& to) noexcept {
  group* from = r.home.load();
  if (from == &to) return;
  if (!from) {
    r.home.store(&to);
    return;
  }
  std::size_t times = 0;
  {
    const lock_guard lock(from->mutex_);
    r.served = 0;  // before the others see where it is: they read that under another lock
    r.home.store(&to);
    const auto kept = std::remove(from->ready_.begin(), from->ready_.end(), &r);
    times = static_cast<std::size_t>(from->ready_.end() - kept);
    from->ready_.erase(kept, from->ready_.end());
    from->ready_count_.store(static_cast<int>(from->ready_.size()), std::memory_order_relaxed);
  }
  for (; times > 0; --times)
    while (!r.home.load()->enqueue(r)) {
    }
}

// The core of the lane's own thread: see set_leases().
int group::own_core_of(const core_set& lane, const core_set& beside) const {
  if (const core_set both = lane & beside; !both.empty()) return both[0];
  const auto was =
      std::find_if(leases_.begin(), leases_.end(), [&](const place& p) { return lane.contains(p.where->own_core()); });
  return was != leases_.end() ? was->where->own_core() : lane[0];
}

void group::set_leases(const std::vector<core_set>& lanes, const core_set& beside) {
  std::vector<place> gone;
  {
    unique_lock lock(mutex_);
    std::vector<place> now;
    for (const core_set& cores : lanes) {
      const int own = own_core_of(cores, beside);
      const auto same = std::find_if(leases_.begin(), leases_.end(), [&](const place& p) {
        return p.where->cores == cores && p.where->own_core() == own;
      });
      now.push_back(same != leases_.end() ? *same : place{run_.cores.make_lease(cores, own), 0});
    }
    for (const place& p : leases_)
      if (std::none_of(now.begin(), now.end(), [&](const place& q) { return q.where == p.where; })) gone.push_back(p);
    // From here on nothing asks for memory.
    leases_ = std::move(now);
    for (const place& p : gone) p.where->revoked.store(true);
    for (std::size_t calls = std::min(leases_.size(), ready_.size()); calls > 0; --calls) need_thread(lock);
  }
  if (!gone.empty()) run_.cores.ledger().recheck();
}

void group::set_leases_outside(int count) {
  const lock_guard lock(mutex_);
  for (; count > 0; --count) leases_.push_back({run_.cores.make_lease_outside(), 0});
}

int group::lease_count() const {
  const lock_guard lock(mutex_);
  return static_cast<int>(leases_.size());
}

std::shared_ptr<core_lease> group::free_lease(const worker& w) {
  place* chosen = nullptr;
  for (place& p : leases_)
    if (p.users == 0 && (!chosen || p.where->own_core() == w.last_core))
      chosen = &p;  // to stay on a core saves an affinity call
  if (!chosen) return nullptr;
  ++chosen->users;
  return chosen->where;
}

// A worker as a holder of cores, for its waits inside an invocation.
class group::holder final : public core_holder {
 public:
  explicit holder(worker& w) : w_(w) {}
  bool is_on_cores() const noexcept override { return w_.lease && !w_.has_released; }
  void leave_cores() noexcept override { w_.home->release(w_); }
  void return_to_cores() noexcept override { w_.home->reacquire(w_); }

 private:
  worker& w_;
};

void group::work(worker& w) noexcept {
  run_.outside.unbind();  // it has the binding of the thread that started it
  run_.floats.state().keep_all();
  w.thread.remember();
  holder cores_of_mine(w);
  const working_as it(cores_of_mine);
  unique_lock lock(mutex_);
  // A thread that keeps nothing of the user's need not wait for the end of a run without work.
  while (!run_.life.is_stopping() && !(run_.life.has_drained() && w.kept.is_empty())) {
    if (w.has_delegated() && run_delegated(w, lock)) continue;
    std::shared_ptr<core_lease> s = ready_.empty() ? nullptr : free_lease(w);
    if (!s) {
      // A worker that keeps values of each_lane() stays: they would be lost, and cost more than a thread.
      const bool stays = !w.kept.is_empty();
      if (!stays && !run_.cores.acquire_park_permit()) {
        --threads_;  // another is started when there is work
        return;
      }
      sleeper me(w);
      parked_.push_front(me);
      w.wake.wait(lock, [&] { return me.called || run_.life.is_stopping(); });
      if (!me.called) parked_.erase(parked_.iterator_to(me));
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
      w.lease = nullptr;
      run_.cores.ledger().give_back(*s);
    }
    lock.lock();
    has_left(s);
    need_thread(lock);  // regions may be left: this thread may have been asked to release its cores
  }
}

// On the cores of the thread that waits for it. False: others have taken them all.
bool group::run_delegated(worker& w, unique_lock<group_mutex>& lock) noexcept {
  lane_value_owners* of = nullptr;
  delegated_invocation* next = nullptr;
  for (auto h = w.owns.begin(); h != w.owns.end() && !next; ++h) next = (of = *h)->take();
  if (!next) return false;
  lock.unlock();
  if (run_.cores.ledger().take(*next->on, run_.life.stopping_flag())) {
    run_.cores.work_begins();
    w.lease = next->on;
    begin_slice(w);
    try {
      w.last_core = w.lease->own_core();
      if (run_.cores.bind(w.bound, *w.lease, binds_to_lane_)) w.thread.remember_cores();
      in_arena(w, *w.lease, [&] { next->run(w); });
    } catch (const std::bad_alloc&) {
      run_.out_of_memory();
    }
    run_.cores.ledger().give_back(*w.lease);
    w.lease = nullptr;
  }
  of->has_run(*next);
  lock.lock();
  return true;
}

void group::begin_slice(worker& w) const {
  const double slice = w.lease->is_beside ? std::chrono::duration<double>(core_ledger::patience).count()
                                          : time_slice_.load(std::memory_order_relaxed);
  w.stays_until = slice > 0 ? run_.life.now() + slice : 0;
}

void group::run_on(worker& w, core_lease& s) {
  w.last_core = s.own_core();
  if (!w.bound.empty()) run_.check_thread_state_if_due(w);
  if (run_.cores.bind(w.bound, s, binds_to_lane_)) w.thread.remember_cores();
  run_.floats.state().keep_all();
  const auto activations = [&] {
    // At least one: with a waiter behind it a holder is asked to leave as soon as it has the cores. Several runs on one
    // core would then hand it round and never work.
    do {
      schedulable* const r = run_.life.is_stopping() ? nullptr : next_ready();
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
  const std::shared_ptr<core_lease> s = ready_.empty() ? nullptr : free_lease(guest);
  if (!s) return need_thread(lock);
  ++threads_;  // counted as one of them meanwhile: it may have to release its cores
  lock.unlock();
  if (run_.cores.ledger().take_if_free(*s)) {
    run_.cores.work_begins();
    guest.lease = s;
    guest.stack = stack_room::of_this_thread();
    guest.stays_until = 0;
    const float_state::scope as_started(run_.floats.state());
    try {
      in_arena(guest, *s, [&] {
        constexpr int most = 8;
        for (int i = 0; i < most && !is_to_leave(guest) && !run_.life.is_stopping(); ++i) {
          schedulable* const r = next_ready(true);
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
  has_left(s);
  need_thread(lock);
}

void group::tidy(worker& w) noexcept {
  if (w.arena) w.arena->run_leftovers();
  run_.floats.state().keep_all();
  run_.check_thread_state_if_due(w);
}

void group::has_left(const std::shared_ptr<core_lease>& s) {
  for (place& p : leases_)
    if (p.where == s) --p.users;
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
  run_.cores.arenas().give_back(s, std::move(arena));
}

bool group::is_to_leave(const worker& w) const {
  const core_lease& s = *w.lease;
  return s.revoked.load(std::memory_order_relaxed) ||
         (s.leave.load(std::memory_order_relaxed) && run_.life.now() >= w.stays_until);
}

// The region that was served least is due. So parallel branches share a core by time, not by turns: start-time fair
// queueing (Goyal, Vin and Cheng, IEEE/ACM Transactions on Networking 5, 1997). A region behind it in the stream goes
// first, so that few records wait in the network, and these are still in the caches. It does not where its last turn
// took much longer, since the region that is due may lead to other branches as well.
schedulable* group::next_ready(bool for_sender) {
  if (!has_listed()) return nullptr;
  const lock_guard lock(mutex_);
  if (ready_.empty()) return nullptr;
  constexpr int most_in_a_row = 4;
  constexpr std::ptrdiff_t looked_at = 16;
  constexpr double much_longer = 2, short_turn = 250e-6;  // a factor; seconds
  const auto end = ready_.begin() + std::min(looked_at, std::ssize(ready_));
  const auto due = std::min_element(ready_.begin(), end,
                                    [](const schedulable* a, const schedulable* b) { return a->served < b->served; });
  const double longest = std::max(much_longer * (*due)->last_turn, short_turn);
  auto chosen = due;
  if (passed_over_ < most_in_a_row)
    for (auto at = ready_.begin(); at < end; ++at)
      if ((*at)->position.is_behind((*chosen)->position) && ((*at)->is_brief() || (*at)->last_turn <= longest))
        chosen = at;
  schedulable* const r = *chosen;
  if (for_sender && !r->lets_senders_in()) return nullptr;
  passed_over_ = chosen == due ? 0 : passed_over_ + 1;
  least_served_ = std::max(least_served_, (*due)->served);
  r->served += least_turn;
  taken_.fetch_add(1, std::memory_order_relaxed);
  unlist(chosen);
  return r;
}

void group::had_turn(schedulable& r, double seconds) noexcept {
  const lock_guard lock(mutex_);
  if (r.home.load() != this) return;
  r.served += seconds;
  r.last_turn = seconds;
}

// With the lock held.
void group::unlist(boost::circular_buffer<schedulable*>::iterator at) {
  ready_.rerase(at);
  ready_count_.store(static_cast<int>(ready_.size()), std::memory_order_relaxed);
}

void group::go_on_with(schedulable* brought, worker& w) noexcept {
  if (!has_listed()) return;
  unique_lock lock(mutex_);
  const auto at = std::find(ready_.begin(), ready_.end(), brought);
  if (at != ready_.end() && brought->is_brief()) {
    unlist(at);
    lock.unlock();
    brought->attend_once(w);
    run_.life.finish_work();
    lock.lock();
  }
  need_thread(lock);
}

bool group::keeps_others_waiting(worker& w) const {
  constexpr double long_enough = 5e-3;  // changing threads is cheap in comparison
  if (w.lease->leave.load(std::memory_order_relaxed) && run_.life.now() >= w.stays_until) return true;
  const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
  const bool others_wait = ready_count_.load(std::memory_order_relaxed) > 1;  // usually one of them is helped
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
  } catch (const std::exception&) {  // the system gives no thread: what is left of this stack may be enough
    r.attend(w);
  }
}

bool group::run_one(worker& w) {
  schedulable* const r = next_ready();
  if (!r) return false;
  const auto outer = w.lease;
  {
    const lock_guard lock(mutex_);
    w.lease = leases_.empty() ? run_.cores.whole() : leases_.front().where;
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
  if (w.arena) w.arena->run_leftovers();  // what it waits for may wait for them
  w.has_released = true;
  ++w.releases;
  run_.cores.ledger().give_back(*w.lease);
  unique_lock lock(mutex_);
  ++blocked_;
  for (place& p : leases_)
    if (p.where == w.lease) --p.users;
  need_thread(lock);
}

void group::reacquire(worker& w) noexcept {
  {
    const lock_guard lock(mutex_);
    --blocked_;
    for (place& p : leases_)
      if (p.where == w.lease) ++p.users;
  }
  // The same cores even if the lease is revoked: a grant never changes inside an invocation. A stop does not cancel
  // this either, since the box goes on running; the holder that it waits for releases them soon.
  static const threads::atomic<bool> never{false};
  run_.cores.ledger().take(*w.lease, never, true);
  w.has_released = false;
  run_.cores.work_begins();
  begin_slice(w);
}

void group::wake_all() {
  const lock_guard lock(mutex_);
  for (sleeper& s : parked_) s.who.wake.notify_one();
}

}  // namespace weir::detail
