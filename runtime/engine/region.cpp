#include "runtime/engine/region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>

#include "runtime/engine/context.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

region::region(run_environment& run, stage& head, std::size_t physical_capacity)
    : run_(run), head_(head), inlet_(run.monitor, physical_capacity) {}

void region::add_unbounded(stage& entry, entity& fails, std::size_t most, bool returns) {
  returns_ = returns;
  unbounded_ = std::make_unique<unbounded_inlet>(run_.monitor, *this, fails, most);
  round_entry_ = &entry;
}

std::size_t region::push(record_body* const* records, std::size_t count) {
  std::size_t taken;
  if (foreseen_ && is_long()) [[unlikely]] {
    taken = push_foreseen(records, count);
  } else {
    const lock_guard lock(writers_);
    taken = inlet_.push(records, count);
  }
  if (taken) call_worker();
  return taken;
}

void region::set_limit(int lanes) {
  if (lanes > limit_.exchange(lanes, std::memory_order_release)) call_worker_from_outside();
}

void region::set_capacity(std::size_t records) {
  const std::size_t before = inlet_.limit();
  inlet_.set_limit(records);
  if (inlet_.limit() <= before) return;
  space.notify();
  call_worker_from_outside();  // a gate may have been shut by the old limit
}

// A few batches beyond the lanes may be done and wait for their turn, so that one slow invocation does not immediately
// stop the other lanes. One lane needs none.
std::uint64_t region::window() const {
  const int lanes = limit();
  return lanes == 1 ? 1 : 2 * static_cast<std::uint64_t>(lanes) + 2;
}

void region::call_worker() noexcept {
  // Between putting records in and reading who attends. Pairs with the fence in stop_attending().
  threads::atomic_thread_fence(std::memory_order_seq_cst);
  int attending = attended_.load(std::memory_order_relaxed);
  while (attending == 0 || (attending < limit() && is_crowded()))
    // Relaxed: a count; the list's lock hands over what the worker needs.
    if (attended_.compare_exchange_weak(attending, attending + 1, std::memory_order_relaxed)) {
      run_.life.begin_work();
      return join_list();
    }
}

void region::call_worker_from_outside() noexcept {
  run_.life.begin_work();
  call_worker();
  run_.life.finish_work();
}

// Counts as work first: a thread that then sees this attended to relies on it, and the run must not drain before it is
// listed.
void region::call_worker_to_deliver() noexcept {
  run_.life.begin_work();
  attended_.fetch_add(1, std::memory_order_relaxed);  // as in call_worker()
  join_list();
}

// The caller has counted it as work; it stays that until the worker that takes it off the list stops attending.
void region::join_list() noexcept {
  while (!home.load()->enqueue(*this)) {
  }
}

// Whether a second worker would pay. For boxes that are worth a wake-up each it does immediately. For short boxes it
// does when the workers here fall behind; before that they would only get in each other's way.
bool region::is_crowded() const {
  const std::size_t batch = batch_.load(std::memory_order_relaxed);
  return waiting() >= (batch == 1 ? 1 : std::max(batch, inlet_.limit() / 2));
}

bool region::lets_senders_in() const {
  constexpr std::size_t a_few = 4;
  return lets_senders_in_.load(std::memory_order_relaxed) && waiting() <= a_few;
}

bool region::may_go_on(const worker& w) const {
  return w.home && !w.home->is_to_leave(w) && !w.home->has_listed() && !w.has_delegated() && !run_.life.is_stopping();
}

bool region::is_worth_looking(const worker& w) const {
  return may_go_on(w) && !w.lease->leave.load(std::memory_order_relaxed);
}

// It tries once before it considers stopping. The signal that ended this region's registration has called it for
// that, and only another try registers again if there still is no room.
void region::attend(worker& w) noexcept {
  for (short_wait wait(waits_);;) {
    if ((waiting() > 0 || is_stuck_.load(std::memory_order_relaxed)) && activate(w, w.home)) {
      wait.came();
      if (!may_go_on(w)) break;
      constexpr std::uint32_t tidied_one_in = 64;  // of short ones: it takes 0.1 us, and 1 us once in a while
      if (is_long() || ++w.activations % tidied_one_in == 0) w.home->tidy(w);
      if (!is_long()) let_gather();
      continue;
    }
    if (!run_.outside.has_threads() || !is_worth_looking(w) || run_.life.is_closed_hint() || !wait.goes_on()) break;
  }
  stop_attending();
}

void region::attend_once(worker& w) noexcept {
  activate(w, w.home);
  stop_attending();
}

void region::stop_attending() noexcept {
  // Between stopping and looking at the inlet. Pairs with the fence in call_worker(). A sequentially consistent
  // subtraction would not do: the look might still be done before it.
  attended_.fetch_sub(1, std::memory_order_relaxed);
  threads::atomic_thread_fence(std::memory_order_seq_cst);
  call_for_rest();
}

void region::call_for_rest() {
  switch (possible_task()) {
    case task::none:
      break;
    case task::take:
      return call_worker();
    case task::deliver:
      return call_worker_to_deliver();
  }
}

bool region::help(worker& w) noexcept {
  constexpr int deepest = 8;  // regions on one stack, each waiting for the next, and a brief one behind each
  if (home.load() != w.home || w.helping == deepest || !w.stack.has_more() || w.home->keeps_others_waiting(w))
    return false;
  const bool goes_on = is_long();
  channel* brought = nullptr;
  attended_.fetch_add(1, std::memory_order_relaxed);
  ++w.helping;
  const bool did = activate(w, goes_on ? w.home : nullptr, &brought);
  const bool was_alone = attended_.fetch_sub(1, std::memory_order_relaxed) == 1;  // else the others see to the rest
  threads::atomic_thread_fence(std::memory_order_seq_cst);                           // as in stop_attending()
  if (was_alone) call_for_rest();
  if (goes_on) w.home->go_on_with(dynamic_cast<region*>(brought), w);
  --w.helping;
  return did;
}

// Releasing cores and reacquiring them takes two wake-ups, some 16 to 70 us each; where records are short, room comes
// sooner.
void region::await_room(const worker& w) const {
  constexpr int looks = 1000;  // 30 to 45 us of pauses
  if (is_long()) return;
  for (int i = 0; i < looks && !has_room() && is_attended() && !is_held() && is_worth_looking(w); ++i) threads::pause();
}

// Waits a moment between two activations of short boxes. An activation costs as much as several such boxes, so a slower
// writer gets the time to put in more than one record. A lone record never waits for this.
void region::let_gather() const {
  constexpr std::size_t enough = 16;  // then an activation costs each record little
  constexpr int moments = 16;         // under a microsecond
  for (int i = 0; i < moments && waiting() < enough; ++i) threads::pause();
}

// The work that an activation would find.
region::task region::possible_task() const {
  if (waiting() == 0 && !is_stuck_.load(std::memory_order_relaxed)) return task::none;
  const lock_guard lock(mutex_);
  if (!stuck_.empty() && !delivering_) return stuck_.front().to->has_room() ? task::deliver : task::none;
  const bool may_take =
      !held_ && active_ < limit() && taken_ - turn_.load(std::memory_order_relaxed) < window() && waiting() > 0;
  return may_take ? task::take : task::none;
}

// Records in a long queue wait anyway, so each lane takes a quarter of its part of the queue as one batch. Fewer
// hand-overs then happen while there is much to do, and the last lane to finish has little (guided self-scheduling:
// Polychronopoulos and Kuck, IEEE Transactions on Computers 36, 1987).
std::size_t region::next_batch() const {
  constexpr std::size_t parts = 4;
  const std::size_t lanes_part = waiting() / (parts * static_cast<std::size_t>(limit()));
  const std::size_t wanted = std::max(batch_.load(std::memory_order_relaxed), lanes_part);
  return std::min({wanted, most_in_batch_.load(std::memory_order_relaxed), largest_batch});
}

region::batch_taken region::take(record_body** into) {
  std::size_t most = next_batch();
  if (unbounded_) {
    if (lets_one_in())
      most = 1;
    else if (const std::size_t count = unbounded_->pop(into, most)) {
      came_back_ += count;
      return {count, round_entry_, &unbounded_->left(), unbounded_->left().count() - count};
    }
    came_back_ = 0;
  }
  const std::size_t count = is_shut_ && is_shut_() ? 0 : inlet_.pop(into, most);
  return {count, &head_, &inlet_.left(), inlet_.left().count() - count};
}

// Whether a new record is taken before the looping ones that wait. It is once each of them had 64 turns since the last
// new one: so few records are in a loop, and one that never leaves it does not keep new ones out. Where a gate limits
// how many records are inside, it decides alone.
bool region::lets_one_in() const {
  constexpr std::size_t many = 64;
  const bool is_loop = round_entry_ != &head_;
  return is_loop && !is_shut_ && inlet_.size() > 0 && !unbounded_->is_idle() && came_back_ >= many * unbounded_->size();
}

bool region::activate(worker& w, const group* next, channel** brought) noexcept {
  std::array<record_body*, largest_batch> batch;
  std::array<std::uint64_t, largest_batch> numbers;
  batch_taken taken;
  std::uint64_t ticket = 0, epoch = 0, first = 0;
  {
    unique_lock lock(mutex_);
    if (!stuck_.empty() && !delivering_) {
      delivering_ = true;
      is_stuck_.store(false, std::memory_order_relaxed);
      std::vector<outgoing_record> out = w.take_buffer();
      out.swap(stuck_);
      lock.unlock();
      out.front().to->blocked.end(run_.monitor.time());
      const group::returning soon(next);
      const bool all = deliver_in_turn(out);
      run_.life.finish_work();  // the stuck outputs counted as work of their own
      w.keep_buffer(std::move(out));
      return all;
    }
    if (held_ || active_ >= limit() || taken_ - turn_.load(std::memory_order_relaxed) >= window()) return false;
    taken = take(batch.data());
    if (taken.count == 0) return false;
    if (number_) number_(head_, {batch.data(), taken.count}, numbers.data());
    ticket = taken_++;
    first = records_taken_;
    records_taken_ += taken.count;
    epoch = run_.placing.now();  // under the lock: epochs grow with tickets
    ++active_;
  }
  if (inlet_.size() <= inlet_.limit() / 2) space.notify();
  if (limit() > 1 && waiting() > 0) call_worker();  // another may join

  // Another core may have written them: the lines of all come at the same time, not one after the other.
  for (const record_body* const r : std::span(batch).first(taken.count)) __builtin_prefetch(r, 1);
  taken.left->measure(taken.number, batch.data(), taken.count);
  context c(run_, w, *this, ticket, epoch, first);
  c.numbers = numbers.data();
  if (is_long() || taken.count > batch_.load(std::memory_order_relaxed)) c.began = run_.life.now();
  run_through(c, taken.entry, {batch.data(), taken.count});
  w.doing.leave();
  if (brought && !c.out.empty()) *brought = c.out.back().to;
  const group::returning soon(next);
  const bool did = finish(ticket, c.out);
  if (!std::isnan(c.began))
    if (group* const g = home.load(); g->has_listed()) g->had_turn(*this, run_.life.now() - c.began);
  return did;
}

// A timed record goes alone. The others go together, except where records may loop: each then goes on immediately.
void region::run_through(context& c, stage* entry, std::span<record_body*> batch) noexcept {
  const bool one_by_one = run_.trace.is_on() || returns_;
  while (!batch.empty()) {
    if (run_.life.is_stopping()) {
      run_.errors.drop(batch.size());
      for (record_body* const r : batch) drop_body(r);
      return;
    }
    std::size_t count = 0;
    bool is_timed = false;  // the last of them
    do {
      is_timed = c.times_next();
      ++count;
    } while (count < batch.size() && !is_timed && !one_by_one);
    const std::size_t together = is_timed ? count - 1 : count;
    c.others_round = unbounded_ && entry == round_entry_ && batch.size() > count;
    c.sampling = false;
    if (together == 1)
      c.drive(entry, batch.front());
    else if (together > 1)
      c.drive_all(entry, batch.first(together));
    if (is_timed) {
      c.sampling = true;
      c.drive(entry, batch[together]);
    }
    batch = batch.subspan(count);
  }
  if (c.by.helping == 0) run_.floats.keep();  // else the state may be that of a box which waits
}

void region::hold() {
  const lock_guard lock(mutex_);
  if (held_) return;
  held_ = true;
  is_held_.store(true, std::memory_order_relaxed);
  if (run_.in_flight.is_on()) run_.in_flight.wake();  // an initialiser that waits there is to rest
  run_.life.begin_work();
}

void region::release() {
  {
    const lock_guard lock(mutex_);
    if (!held_) return;
    held_ = false;
    is_held_.store(false, std::memory_order_relaxed);
    turn_passed_.notify_all();
  }
  call_worker();
  run_.life.finish_work();
}

void region::rest(context& c, const stage& box, const record_body& input) {
  {
    const lock_guard lock(mutex_);
    if (!held_) return;
    --active_;
  }
  run_.placing.complete_if_needed();
  c.wait_until_released(box, input);
  const lock_guard lock(mutex_);
  ++active_;
  if (run_.life.is_stopping()) throw stopped{};
}

void region::wait_for_release() {
  unique_lock lock(mutex_);
  turn_passed_.wait(lock, [&] { return !held_ || run_.life.is_stopping(); });
}

bool region::is_quiet() const {
  const lock_guard lock(mutex_);
  return active_ == 0 && !delivering_ && stuck_.empty() && finished_.empty();
}

std::size_t region::kept(bool with_unbounded) const {
  const lock_guard lock(mutex_);
  std::size_t count = inlet_.size() + stuck_.size() + (with_unbounded && unbounded_ ? unbounded_->size() : 0);
  for (const auto& [ticket, out] : finished_) count += out.size();
  return count;
}

// The end where they leave is read first: whatever left by then had come before.
std::pair<stream_end::reading, stream_end::reading> region::came_and_left() const {
  std::pair<stream_end::reading, stream_end::reading> seen;
  {
    const lock_guard lock(mutex_);
    seen.second = inlet_.left().read();
  }
  const lock_guard lock(writers_);
  seen.first = inlet_.came().read();
  return seen;
}

double region::bytes_of_a_record() const {
  const lock_guard lock(mutex_);
  const stream_end::reading left = inlet_.left().read();
  return left.stood_for > 0 ? left.bytes / static_cast<double>(left.stood_for)
                            : std::numeric_limits<double>::quiet_NaN();
}

std::size_t region::drop_all() {
  std::size_t dropped = 0;
  record_body* r = nullptr;
  while (inlet_.pop(&r, 1) || (unbounded_ && unbounded_->pop(&r, 1))) {
    drop_body(r);
    ++dropped;
  }
  const auto drop = [&](std::vector<outgoing_record>& kept) {
    for (const outgoing_record& p : kept) drop_body(p.what);
    dropped += kept.size();
    kept.clear();
  };
  drop(stuck_);
  for (auto& [ticket, kept] : finished_) drop(kept);
  finished_.clear();
  return dropped;
}

}  // namespace weir::detail
