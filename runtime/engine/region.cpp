#include "runtime/engine/region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/context.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

namespace {
class counted {
 public:
  explicit counted(threads::atomic<int>& in) : in_(in) { in_.fetch_add(1, std::memory_order_relaxed); }
  ~counted() { in_.fetch_sub(1, std::memory_order_relaxed); }
  counted(const counted&) = delete;

 private:
  threads::atomic<int>& in_;
};
}  // namespace

region::region(run_environment& run, entity& head, std::size_t physical_capacity)
    : run_(run), in_(run, head, physical_capacity) {}

std::size_t region::push(record_body* const* records, std::size_t count) {
  const std::size_t taken = in_.push(records, count);
  if (taken) wake_worker();
  return taken;
}

void region::set_limit(int lanes) {
  if (lanes > limit_.exchange(lanes, std::memory_order_release)) wake_worker_from_outside();
}

void region::expect_other_work() {
  work_setting s = setting();
  s.timed_one_in = 1;
  s.allows_inline_send = false;
  set(s);
}

void region::wake_others_if_unsure() noexcept {
  if (is_attended() && in_.expect_nothing()) wake_worker_from_outside();
}

void region::set_capacity(std::size_t records) {
  const std::size_t before = inlet().limit();
  inlet().set_limit(records);
  if (inlet().limit() <= before) return;
  space.notify();
  wake_worker_from_outside();  // a gate may have been shut by the old limit
}

void region::wake_worker() noexcept {
  // Between putting records in and reading who attends. Pairs with the fence in stop_attending().
  threads::atomic_thread_fence(std::memory_order_seq_cst);
  int attending = attended_.load(std::memory_order_relaxed);
  while (attending == 0 || (attending < limit() && is_crowded(attending)))
    // Relaxed: a count; the list's lock hands over what the worker needs.
    if (attended_.compare_exchange_weak(attending, attending + 1, std::memory_order_relaxed)) {
      run_.life.begin_work();
      return join_list();
    }
}

void region::wake_worker_from_outside() noexcept {
  run_.life.begin_work();
  wake_worker();
  run_.life.finish_work();
}

// Where records are taken one by one, another worker pays when more records wait than workers are about to take one.
// Such a worker was woken a moment ago, or polls.
bool region::is_crowded(int attending) const {
  if (!setting().takes_one_by_one()) return in_.is_crowded();
  return static_cast<int>(in_.waiting()) > attending - active_.load(std::memory_order_relaxed);
}

// Counts as work first: a thread that then sees this attended to relies on it, and the run must not drain before it is
// listed.
void region::wake_worker_to_deliver() noexcept {
  run_.life.begin_work();
  attended_.fetch_add(1, std::memory_order_relaxed);  // as in wake_worker()
  join_list();
}

// The caller has counted it as work; it stays that until the worker that takes it off the list stops attending.
void region::join_list() noexcept {
  while (!in_group.load()->enqueue(*this)) {
  }
}

bool region::allows_inline_send() const {
  constexpr std::size_t a_few = 4;
  return setting().allows_inline_send && in_.waiting() <= a_few;
}

bool region::may_go_on(const worker& w) const {
  return w.in_group && w.in_group == in_group.load() && !w.in_group->is_to_leave(w) && !w.in_group->has_listed() &&
         !w.has_delegated() && !run_.life.is_stopping();
}

bool region::is_worth_looking(const worker& w) const {
  return may_go_on(w) && !w.lease->leave.load(std::memory_order_relaxed);
}

// It tries once before it considers stopping. The signal that ended this region's registration has woken it for
// that, and only another try registers again if there still is no room.
void region::attend(worker& w) noexcept {
  for (short_wait wait(waits_);;) {
    if ((in_.waiting() > 0 || delivery_.is_stuck()) && activate(w, afterwards::polls).has_worked) {
      wait.arrived();
      if (!may_go_on(w)) break;
      constexpr std::uint32_t tidied_one_in = 64;  // of short ones: it takes 0.1 us, and 1 us once in a while
      const bool in_batches = !setting().takes_one_by_one();
      if (!in_batches || ++w.activations % tidied_one_in == 0) w.in_group->tidy(w);
      if (in_batches) let_gather();
      continue;
    }
    if (!run_.platform.has_threads() || !is_worth_looking(w) || run_.life.is_closed_hint() || !wait.goes_on()) break;
  }
  stop_attending();
}

void region::attend_once(worker& w) noexcept {
  activate(w, afterwards::polls);
  stop_attending();
}

void region::stop_attending() noexcept {
  // Between stopping and looking at the inlet. Pairs with the fence in wake_worker(). A sequentially consistent
  // subtraction would not do: the look might still be done before it.
  attended_.fetch_sub(1, std::memory_order_relaxed);
  threads::atomic_thread_fence(std::memory_order_seq_cst);
  wake_for_rest();
}

void region::wake_for_rest() {
  if (in_.waiting() == 0 && !delivery_.is_stuck()) return;
  switch (delivery_.possible_task()) {
    case ordered_delivery::task::none:
      break;
    case ordered_delivery::task::begin:
      if (in_.waiting() > 0) wake_worker();
      break;
    case ordered_delivery::task::deliver:
      wake_worker_to_deliver();
  }
}

bool region::help(worker& w) noexcept {
  constexpr int deepest = 8;  // regions on one stack, each waiting for the next, and one that may batch behind each
  if (in_group.load() != w.in_group || w.helping == deepest || !w.stack.has_more() ||
      w.in_group->keeps_others_waiting(w))
    return false;
  const bool goes_on = setting().takes_one_by_one();
  attended_.fetch_add(1, std::memory_order_relaxed);
  ++w.helping;
  const activation did = activate(w, goes_on ? afterwards::polls : afterwards::leaves);
  const bool was_alone = attended_.fetch_sub(1, std::memory_order_relaxed) == 1;  // else the others see to the rest
  threads::atomic_thread_fence(std::memory_order_seq_cst);                        // as in stop_attending()
  if (was_alone) wake_for_rest();
  if (goes_on) w.in_group->go_on_with(did.brought ? did.brought->reader() : nullptr, w);
  --w.helping;
  return did.has_worked;
}

// Releasing cores and reacquiring them takes two wake-ups, some 16 to 70 us each; where records are short, room comes
// sooner.
void region::await_room(const worker& w) const {
  constexpr int looks = 1000;  // 30 to 45 us of pauses
  if (setting().takes_one_by_one()) return;
  for (int i = 0; i < looks && !has_room() && is_attended() && !is_held() && is_worth_looking(w); ++i) threads::pause();
}

// Waits a moment between two activations of short boxes. An activation costs as much as several such boxes, so a slower
// writer gets the time to put in more than one record. A lone record never waits for this.
void region::let_gather() const {
  constexpr std::size_t enough = 16;  // then an activation costs each record little
  constexpr int moments = 16;         // under a microsecond
  for (int i = 0; i < moments && in_.waiting() < enough; ++i) threads::pause();
}

// By the thread that finds outputs stuck. Nothing when another took them meanwhile.
std::optional<bool> region::deliver_stuck(worker& w, afterwards then) noexcept {
  std::vector<outgoing_record> out = delivery_.take_stuck(w.take_buffer());
  std::optional<bool> all;
  if (!out.empty()) {
    out.front().to->blocked.end(run_.monitor.time());
    const group::poll_pending soon(then == afterwards::polls ? w.in_group : nullptr);
    all = deliver(out);
    run_.life.finish_work();  // the stuck outputs counted as work of their own
  }
  w.keep_buffer(std::move(out));
  return all;
}

region::activation region::activate(worker& w, afterwards then) noexcept {
  const counted inside(active_);
  if (delivery_.is_stuck())
    if (const std::optional<bool> all = deliver_stuck(w, then)) return {*all};
  std::array<record_body*, work_setting::largest_batch> few;
  std::array<std::uint64_t, work_setting::largest_batch> numbers;  // of no more: see intake::set_numbering()
  std::unique_ptr<record_body*[]> many;
  record_body** records = few.data();
  intake::batch taken;
  std::uint64_t epoch = 0;
  std::optional<ordered_delivery::ticket> ticket;
  try {
    if (in_.most_in_batch() > few.size()) {
      many = std::make_unique_for_overwrite<record_body*[]>(in_.most_in_batch());
      records = many.get();
    }
    ticket = delivery_.begin([&] {
      taken = in_.take(records, numbers.data(), limit());
      epoch = run_.placing.now();  // under the lock: epochs grow with tickets
      return taken.count;
    });
  } catch (const std::bad_alloc&) {
    run_.out_of_memory();
  }
  if (!ticket) return {};
  if (inlet().size() <= inlet().limit() / 2) space.notify();
  if (limit() > 1) {
    // Between counting this activation and looking for more. Pairs with the fence in wake_worker().
    if (setting().takes_one_by_one()) threads::atomic_thread_fence(std::memory_order_seq_cst);
    if (in_.waiting() > 0) wake_worker();  // another may join
  }

  const std::span batch(records, taken.count);
  // Another core may have written the records. Their cache lines are fetched together, not one after the other.
  for (const record_body* const r : batch) __builtin_prefetch(r, 1);
  taken.left->measure(taken.number, batch.data(), taken.count);
  context c(run_, w, *this, ticket->number, epoch, ticket->first_record);
  c.numbers = numbers.data();
  c.note = taken.note;
  if (const work_setting s = setting(); s.takes_one_by_one() || s.is_unsure() || taken.count > s.batch)
    c.began = run_.life.now();
  run_through(c, taken.entry, batch);
  const double further = std::exchange(w.further_core_seconds, 0);
  w.doing.leave();
  activation did;
  if (!c.out.empty()) did.brought = c.out.back().to;
  const group::poll_pending soon(then == afterwards::polls ? w.in_group : nullptr);
  did.has_worked = finish(ticket->number, c.out);
  if (std::isnan(c.began)) return did;
  const bool is_unsure = setting().is_unsure();
  group* const g = in_group.load();
  const bool charges = g->has_listed();
  if (!is_unsure && !charges) return did;
  const double seconds = run_.life.now() - c.began;
  if (charges) g->charge(*this, seconds + further);
  // Not outside the cores, where waiting boxes are.
  if (is_unsure && !w.lease->cores.empty() && in_.expects_short(seconds, taken.count) &&
      inlet().limit() < work_setting::capacity_if_short)
    set_capacity(work_setting::capacity_if_short);
  return did;
}

// A timed record goes alone. The others go together, except where records may loop: each then goes on immediately.
void region::run_through(context& c, entity* entry, std::span<record_body*> batch) noexcept {
  const bool one_by_one = run_.trace.is_on() || in_.returns();
  while (!batch.empty()) {
    if (run_.life.is_stopping()) {
      run_.errors.drop(batch.size());
      for (record_body* const r : batch) drop_body(r);
      return;
    }
    if (in_.has_batching()) {
      c.samples_behind = c.samples_all_behind = run_.trace.is_on();
      for (std::size_t i = 0; i < batch.size(); ++i) c.samples_behind |= c.times_next();
      c.drive_all(entry, batch);
      break;
    }
    std::size_t count = 0;
    bool is_timed = false;  // the last of them
    do {
      is_timed = c.times_next();
      ++count;
    } while (count < batch.size() && !is_timed && !one_by_one);
    const std::size_t together = is_timed ? count - 1 : count;
    c.others_round = unbounded() && entry == in_.round_entry() && batch.size() > count;
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

bool region::finish(std::uint64_t ticket, ordered_delivery::outputs& out) noexcept {
  switch (delivery_.finish(ticket, out)) {
    case ordered_delivery::ending::delivers:
      return deliver(out);
    case ordered_delivery::ending::waits:
      return true;
    case ordered_delivery::ending::without_memory:
      break;
  }
  run_.out_of_memory();
  run_.errors.drop(out.size());
  for (const outgoing_record& p : out) drop_body(p.what);
  return false;
}

// By the thread whose turn it is. False when the region is stuck.
bool region::deliver(ordered_delivery::outputs& out) noexcept {
  do {
    if (!flush(out)) {
      channel& full = *out.front().to;
      full.blocked.begin(run_.monitor.time());
      run_.life.begin_work();
      delivery_.keep_stuck(out);
      try {
        full.space.register_waiter(*this);
      } catch (const std::bad_alloc&) {
        run_.out_of_memory();
      }
      space.notify();          // activations notify when half of the inlet is free, and there may be none for long now
      return full.has_room();  // then it is worth another look; else the signal wakes a worker
    }
    if (run_.life.is_stopping()) {  // that batch may have been cut short: later ones stay, and are dropped
      delivery_.stop_delivering();
      break;
    }
  } while (delivery_.pass_turn(out));
  run_.placing.complete_if_needed();
  return true;
}

bool region::flush(ordered_delivery::outputs& out) noexcept {
  std::array<record_body*, work_setting::largest_batch> run_of;
  std::size_t done = 0;
  while (done < out.size()) {
    channel* const to = out[done].to;
    std::size_t n = 0;
    while (n < run_of.size() && done + n < out.size() && out[done + n].to == to) {
      run_of[n] = out[done + n].what;
      ++n;
    }
    std::size_t taken = 0;
    try {
      taken = to->push(run_of.data(), n);
    } catch (const std::bad_alloc&) {
      run_.out_of_memory();
    }
    done += taken;
    if (taken < n) {
      // A record must not overtake another on its way to the same stream; records to other streams wait with it.
      out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(done));
      return false;
    }
  }
  out.clear();
  return true;
}

void region::wait_until(const std::function<bool()>& holds) {
  delivery_.wait_until([&] { return holds() || run_.life.is_stopping(); });
}

void region::hold() {
  run_.life.begin_work();
  delivery_.hold();
  if (run_.in_flight.is_on()) run_.in_flight.wake();  // an initialiser that waits there is to rest
}

void region::release() {
  delivery_.release();
  wake_worker();
  run_.life.finish_work();
}

void region::wait_while_held(context& c, const entity& box, const record_body& input) {
  if (!delivery_.rest_if_held()) return;
  run_.placing.complete_if_needed();
  c.wait_until_released(box, input);
  delivery_.end_rest();
  if (run_.life.is_stopping()) throw stopped{};
}

void region::wait_for_release() {
  wait_until([&] { return !is_held(); });
}

std::size_t region::pending(bool with_unbounded) const {
  return delivery_.pending([&] { return in_.size(with_unbounded); });
}

std::size_t region::drop_all() { return in_.drop_all() + delivery_.drop_all(); }

// Departures are read first: each record that has left by then arrived before.
std::pair<stream_end::snapshot, stream_end::snapshot> region::arrivals_and_departures() const {
  const stream_end::snapshot left = delivery_.read([&] { return inlet().left().read(); });
  return {in_.arrivals(), left};
}

double region::bytes_of_a_record() const {
  const stream_end::snapshot left = delivery_.read([&] { return inlet().left().read(); });
  return left.stood_for > 0 ? left.bytes / static_cast<double>(left.stood_for)
                            : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace weir::detail
