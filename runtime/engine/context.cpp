#include "runtime/engine/context.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/engine/region.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/streams/spread_samples.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

context::context(run_environment& r, worker& w, region& f, std::uint64_t t, std::uint64_t e, std::uint64_t first)
    : run(r),
      by(w),
      from(f),
      ticket(t),
      epoch(e),
      out(w.take_buffer()),
      number_(first),
      timed_next_(r.trace.is_on() ? 0 : next_chosen(first, std::uint32_t{f.setting().timed_one_in})) {}

context::~context() { by.keep_buffer(std::move(out)); }

// Drives a record that a box gives inside its step, where no call is cached. The frame is small, since such drives
// nest.
void context::drive_part(entity* at, record_body* r) noexcept {
  ++depth_;
  while ((at = at->step_or_fail(r, *this)) && at->is_fused_for(epoch)) {
  }
  if (at) send_off(*at, r);
  --depth_;
}

void context::drive_cached(entity* at, record_body* r) noexcept {
  if (++depth_ == 1) rounds_ = free_rounds_ = 0;
  std::vector<cached_call>& cache = by.call_cache;
  // The first record behind a timed one fills the cache anew. So the cache holds the boxes that records pass now, and
  // entities without a cached call are not asked for each record.
  const bool learns = !sampling && by.cached_in_epoch != epoch;
  if (learns) cache.clear();
  by.cached_in_epoch = sampling ? worker::no_epoch : epoch;
  const bool uses_cache = !sampling && !cache.empty();
  const auto is_of_epoch = [&] { return by.cached_in_epoch == epoch; };  // a box may run other records inside its call
  std::size_t k = 0;
  do {
    while (at) {
      if (uses_cache && is_of_epoch() && k < cache.size() && cache[k].at == at && cache[k].of == r->shape) {
        at = run_cached(cache[k++], r);
        continue;
      }
      const shape* const of = r->shape;
      entity* const here = at;
      if (!(at = here->step_or_fail(r, *this))) {
        if (learns && is_of_epoch() && k == cache.size()) here->remember(of, true, cache);
        break;
      }
      const bool goes_on = at->is_fused_for(epoch);
      if (learns && goes_on && is_of_epoch() && k == cache.size() && here->remember(of, false, cache)) ++k;
      if (goes_on || goes_round(*at, *r)) continue;
      send_off(*at, r);
      break;
    }
    // An emitting box deferred this record to its next round, which starts once its previous round has left the stack.
    if (depth_ > 1) break;
    r = std::exchange(next_round_, nullptr);
    at = from.in().round_entry();
  } while (r);
  --depth_;
}

// Inline: of a short box it takes as long as the box.
[[gnu::always_inline]] inline entity* context::run_cached(const cached_call& h, record_body* r) noexcept {
  slot_word words[max_given];
  invocation i{r, h.take, words, 0, &by.lease->granted, nullptr};
  const int slot = h.slot;  // the box may send to its own run and so reenter this function
  entity* const next = h.next;
  entity* const box = h.at;
  void (*const threw)(entity&, record_body*, const invocation&) noexcept = h.threw;
  const untimed_call around(run.floats, by.doing, *box);
  around.enter();  // as invoke() does, whose functions would be objects in memory
  try {
    h.call(h.callable, i);
  } catch (...) {
    around.leave(false);
    threw(*box, r, i);
    return nullptr;
  }
  around.leave(true);
  if (slot >= 0) {
    r->slots()[slot] = words[0];
    return next;
  }
  next ? box->finish_cached(i) : box->end_record(r, by);
  return next;
}

void context::drive_all(entity* at, std::span<record_body*> batch) noexcept {
  ++depth_;
  while (!batch.empty() && (at = at->step_all(batch, *this))) {
    if (at->is_fused_for(epoch)) continue;
    for (record_body* const r : batch) put_out(*at, r);
    break;
  }
  --depth_;
}

// Where send_on() cannot drive it.
[[gnu::noinline]] void context::send_elsewhere(entity& to, record_body* r) noexcept {
  to.is_fused_for(epoch) ? drive_elsewhere(to, r) : send_off(to, r);
}

// Once for each entity, since later plans let it head a region. Until then each such record costs a thread.
[[gnu::noinline]] void context::drive_elsewhere(entity& to, record_body* r) noexcept {
  if (!to.was_deep.exchange(true, std::memory_order_relaxed)) run.run.request_layout();
  try {
    run.workers.run_on_new_stack(by, [&] { drive(&to, r); });
  } catch (const std::bad_alloc&) {
    to.lacks_memory(r);
  } catch (const std::system_error& e) {
    to.fail_saying(failure_kind::no_thread, r, [&] {
      return std::string("it was emitted with less than half of the stack left, and no thread could be started: ") +
             e.what();
    });
  }
}

// Out of the region, or round again when the step under way is over.
void context::send_off(entity& to, record_body* r) noexcept {
  if (from.in().round_entry() == &to) {
    if (!next_round_ && may_go_round(*r)) {
      next_round_ = r;
      ++rounds_;
      return;
    }
    if (next_round_) put_out(to, std::exchange(next_round_, nullptr));
    has_sent_round_ = true;
  }
  put_out(to, r);
}

inline void context::put_out(entity& to, record_body* r) noexcept {
  try {
    out.push_back({&to.inlet(), r});
  } catch (const std::bad_alloc&) {
    to.lacks_memory(r);
  }
}

// Whether a record that loops back to this region's own inlet may continue without being queued. Only if it overtakes
// no other: that inlet is empty, this batch has queued nothing for it, and no looping record of the batch is still to
// run. Regions with a loop run one activation at a time.
[[gnu::always_inline]] inline bool context::may_go_round(const record_body& r) {
  if (has_sent_round_ || others_round || !from.unbounded()->is_idle()) return false;
  return rounds_ < free_rounds_ || may_loop_again(r);
}

// A region that may batch allows 1024 rounds, so that other input is served, and after each 64 it checks whether the
// worker is wanted elsewhere. Other regions allow 64. There, after 250 us, a record goes on only if it leaves the loop,
// or while nothing waits: no record in this region's stream and no listed region.
[[gnu::noinline]] bool context::may_loop_again(const record_body& r) {
  constexpr int few = 64, many = 1024;
  if (from.may_batch()) {
    const auto may_stay = [&] { return !run.life.is_stopping() && !(by.in_group && by.in_group->is_to_leave(by)); };
    if (rounds_ >= many || (rounds_ > 0 && !may_stay())) return false;
    free_rounds_ = rounds_ + few;
    return true;
  }
  constexpr double long_enough = 250e-6;  // seconds: queueing costs little in comparison
  const bool others_wait = from.inlet().size() > 0 || from.in_group.load()->has_listed();
  return rounds_ < few &&
         !(others_wait && run.life.now() - began > long_enough && !from.in().round_entry()->leaves_loop(r));
}

[[gnu::noinline]] bool context::goes_round(const entity& to, const record_body& r) {
  if (from.in().round_entry() != &to || depth_ > 1 || next_round_ || !may_go_round(r)) return false;
  ++rounds_;
  return true;
}

// Waits inside an invocation of the box, for this record, while another thread takes the cores.
template <class Wait>
void context::wait_off_cores(const entity& box, const record_body& input, const char* why, Wait wait) {
  const double since = run.trace.is_on() ? run.life.since_start() : 0;
  const int core = by.lease->first_core();  // it may go on with another one
  by.doing.leave();
  {
    const off_cores meanwhile(off_cores::until::any_cores);
    wait();
  }
  if (run.trace.is_on()) run.trace.held_back(core, box, input, why, since);
}

void context::wait_for_room(channel& full, const entity& box, const record_body& input) {
  const stream_monitor::blocked_writer me(run.monitor, full.blocked);
  const auto is_over = [&] { return full.has_room() || run.life.is_stopping(); };
  if (!run.platform.has_threads()) {
    while (!is_over())
      if (!run.run.help()) throw std::logic_error("a box emits into a full stream and nothing else can run");
    return;
  }
  // Changing threads takes two wake-ups, and the other thread would keep the cores until it is through anyway.
  if (auto* const behind = full.reader()) {
    while (!is_over() && behind->help(by)) {
    }
    behind->await_room(by);
  }
  if (is_over()) return;
  wait_off_cores(box, input, "the stream behind it was full", [&] { full.space.wait(is_over); });
}

void context::wait_until_released(const entity& box, const record_body& input) {
  if (run.platform.has_threads())
    return wait_off_cores(box, input, "what is behind it changes its place", [&] { from.wait_for_release(); });
  while (from.is_held() && !run.life.is_stopping())
    if (!run.run.help()) throw std::logic_error("a box emits into a region that is held and nothing else can run");
}

void context::wait_for_earlier(const entity& box, const record_body& input, const std::function<bool()>& has_it) {
  constexpr int looks = 100;  // some 3 us of pauses: less than two wake-ups
  for (int i = 0; i < looks; ++i) {
    if (has_it()) return;
    threads::pause();
  }
  wait_off_cores(box, input, "a record before it was in the same state", [&] { from.wait_until(has_it); });
}

void context::pass_on(const entity& box, const record_body& input) {
  if (run.life.is_stopping()) throw stopped{};
  if (out.empty()) return;
  if (!from.has_turn(ticket)) {
    if (out.size() < work_setting::largest_batch) return;
    wait_off_cores(box, input, "records before its own were not through",
                   [&] { from.wait_until([&] { return from.has_turn(ticket) || box.keeps_outputs(); }); });
    if (run.life.is_stopping()) throw stopped{};
    if (!from.has_turn(ticket)) return;
  }
  while (!from.flush(out)) {
    // Without threads, what makes room may run only when this box returns. So the box may keep a batch until then.
    if (!run.platform.has_threads() && out.size() < work_setting::largest_batch) return;
    channel& full = *out.front().to;
    wait_for_room(full, box, input);
    if (run.life.is_stopping()) throw stopped{};
  }
}

// The position that a record of an initialiser gets: around all others its place, and in each ordered network one right
// before that of the initialiser. Takes over the reference to the place.
static order_slot* position_from(const order_slot& starting, order_slot* place) {
  if (!starting.outer()) return place;
  return starting.listener().before(const_cast<order_slot&>(starting), position_from(*starting.outer(), place));
}

void context::let_in(const entity& box, record_body* given, const record_body& input) {
  if (!run.in_flight.is_on()) return;
  owned_body mine(given);
  order_slot* around_all = input.order;
  while (around_all && around_all->outer()) around_all = around_all->outer();
  if (around_all && &around_all->listener() == &run.in_flight) {
    order_slot* const place =
        run.in_flight.place_for(run.in_flight.counts_bytes() ? run.monitor.whole_bytes_of(given) : 0, around_all);
    bool has_entered;
    try {
      has_entered = wait_to_enter(*place, box, input);
    } catch (...) {
      place->let_go();
      run.errors.drop(1);
      throw;
    }
    if (!has_entered) {
      place->let_go();
      run.errors.drop(1);
      throw stopped{};
    }
    std::exchange(given->order, position_from(*input.order, place))->let_go();
  }
  mine.release();
}

// False: the run is stopping.
bool context::wait_to_enter(order_slot& place, const entity& box, const record_body& input) {
  in_flight_limit& limit = run.in_flight;
  while (!limit.try_enter(place)) {
    if (run.life.is_stopping()) return false;
    if (from.is_held()) {
      from.wait_while_held(*this, box, input);
      epoch = run.placing.now();
    } else if (run.platform.has_threads()) {
      short_wait wait(limit.waits);
      while (!limit.has_room_for(place) && wait.goes_on()) {
      }
      if (limit.has_room_for(place)) {
        wait.arrived();
        continue;
      }
      const stream_monitor::blocked_writer me(run.monitor, limit.blocked);
      wait_off_cores(box, input, "as many records as allowed were in flight", [&] {
        limit.space.wait([&] { return limit.has_room_for(place) || from.is_held() || run.life.is_stopping(); });
      });
    } else {
      // It may wait for this box's own outputs, or for an invocation that this one runs inside of.
      const bool did = !out.empty() && from.has_turn(ticket) && from.flush(out);
      if (!run.run.help() && !did && !run.life.is_stopping()) limit.enter_anyway(place);
    }
  }
  return true;
}

void context::between_records(const entity& box, const record_body& input) {
  if (from.is_held()) from.wait_while_held(*this, box, input);
  if (by.lease->revoked.load(std::memory_order_relaxed)) leave_revoked(box, input);
  epoch = run.placing.now();
  sampling = times_next();
}

// Goes on with another lease of its group. A box that is tied to its cores, or whose group has no lease that stands in
// for them, keeps them to its end.
[[gnu::noinline]] void context::leave_revoked(const entity& box, const record_body& input) {
  if (!run.platform.has_threads() || std::exchange(left_, by.lease.get()) == by.lease.get()) return;
  wait_off_cores(box, input, "its cores went to others", [] {});
}

bool context::times_chosen() {
  if (run.trace.is_on()) return true;
  const std::uint32_t in_a_row = from.setting().timed_one_in;
  timed_next_ = next_chosen(number_, in_a_row);
  return (in_a_row > 1 && in_a_row < work_setting::sparse_sampling) || by.may_time_short(run.life.now(), in_a_row > 1);
}

}  // namespace weir::detail
