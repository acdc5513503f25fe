#include "runtime/run/run_input.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/machine/this_process.hpp"
#include "runtime/network/node.hpp"
#include "runtime/network/observer.hpp"
#include "runtime/network/typing.hpp"
#include "runtime/record/words.hpp"
#include "runtime/threads/stack_room.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

namespace {

// Why a rule does not take records of a shape; "" when it does.
std::string unfit(const shape& s, const signature::rule& rule) {
  for (const label_info* need : rule.in.labels()) {
    const int at = s.find(need->key);
    if (at < 0) return "it lacks " + weir::to_string(*need);
    if (!agree(&s[at], need))
      return "its field '" + need->name + "' is " + a_type(*s[at].type) + ", expected was " + a_type(*need->type);
  }
  for (int i = s.first_binding_tag(); i < s.size() && !rule.open; ++i)
    if (!rule.in.find(s[i].key)) return "it has the binding tag " + weir::to_string(s[i]) + ", which is not taken";
  return "";
}

}  // namespace

void refuse_own_threads(const run_environment& run, const char* call) {
  if (inside_call::of(&run.run))
    throw std::logic_error(
        std::string(call) +
        ": called from a box or callback of the same run, which would wait for itself; use feedback, or try_send");
  for (const observer* o : run.observers)
    if (inside_call::of(o))
      throw std::logic_error(
          std::string(call) +
          ": called from a function of observe() that this run calls as well, one call at a time: it "
          "would wait for itself");
}

void run_input::check_fits(const record& r) {
  const shape& s = r.shape();
  const auto& rules = net_.signature().rules;
  const auto fits = [&] {
    const bool any = std::any_of(rules.begin(), rules.end(),
                                 [&](const signature::rule& rule) { return !rule.at_start && unfit(s, rule).empty(); });
    return any ? std::make_unique<bool>(true) : nullptr;
  };
  if (accepted_.find(&s, fits)) return;
  std::string why = "its initialisers are its only input";
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& rule : rules) {  // chooses the nearest variant
    if (rule.at_start) continue;
    const auto lacks = static_cast<std::size_t>(
        std::count_if(rule.in.labels().begin(), rule.in.labels().end(), [&](auto* l) { return s.find(l->key) < 0; }));
    if (lacks < least) least = lacks, why = unfit(s, rule);
  }
  throw send_error({failure_kind::not_accepted, "", net_.root()->name(), cut_text(r),
                    "the record does not fit the input " + cut_text(net_.signature()) + ": " + why});
}

void run_input::note_sending_thread() {
  if (callers_.sends_and_reads() && how_.keeps_unread_results) results_.set_bounded(false);
}

void run_input::refuse(const record_body& r) {
  this_process::refuse_in_child("send");
  this_process::hold_others();
  run_.errors.throw_if_ended();
  throw send_error({failure_kind::closed, "", net_.root()->name(), cut_text(r),
                    run_.life.is_closed() ? "send after close" : "send after stop"});
}

// Gives the record its place in flight, which it keeps while it waits for room in the first stream, and follows its
// latency. False: as many as allowed are in flight.
bool run_input::let_in(record_body& r) {
  in_flight_limit& limit = run_.in_flight;
  if (limit.is_on()) {
    if (!r.order) r.order = limit.place_for(limit.counts_bytes() ? run_.monitor.whole_bytes_of(&r) : 0);
    if (!limit.try_enter(*r.order)) return false;
  }
  if (run_.latency.follows(sent())) r.order = run_.latency.follow(r.order);
  return true;
}

void run_input::not_let_in(record_body& r) {
  if (!r.order || &r.order->listener() != &run_.latency) return;
  order_slot* const place = r.order->outer();
  if (place) place->hold();
  latency_probe::forget(*r.order);
  std::exchange(r.order, place)->let_go();
}

// Takes the record when there is room. Throws, without taking it, when the input is closed or the run is over.
bool run_input::try_push(record_body* body) {
  const run_life::at_work now(run_.life);  // the run cannot drain between the check whether it is closed and the push
  if (run_.life.is_closed() || run_.life.is_stopping()) refuse(*body);
  if (run_.latency.wants(sent()) && !let_in(*body)) return false;
  sent_.fetch_add(1, std::memory_order_relaxed);  // before: a thread that push wakes may be through with it first
  const auto not_taken = [&] {
    sent_.fetch_sub(1, std::memory_order_relaxed);
    not_let_in(*body);
    return false;
  };
  try {
    return entry_.inlet().push(&body, 1) == 1 || not_taken();
  } catch (...) {
    not_taken();
    throw;
  }
}

// Option inline_send. False: a worker is to take the record, and nothing was done.
bool run_input::run_here(owned_body& mine) {
  const region* const first = entry_.own_region.get();
  if (!first || !first->allows_inline_send() || first->is_attended() || inside_call::any()) return false;
  if (!stack_room::suits_boxes()) return false;
  const worker_pool::visit visit(run_.workers);
  if (!visit.is_in() || run_.life.is_over() || !shared_.may_serve_sender(run_.life.now())) return false;
  {
    const group::poll_pending soon(&shared_);
    if (!try_push(mine.get())) return false;
  }
  mine.release();
  {
    const inside_call now(&run_.run);
    shared_.run_inline(run_.workers.caller());
  }
  shared_.note_inline_send(run_.life.now());
  return true;
}

void run_input::await_place(const order_slot& place) {
  in_flight_limit& limit = run_.in_flight;
  if (!run_.platform.has_threads()) {
    if (!run_.run.help())
      throw std::logic_error("send: as many records as allowed are in flight, and nothing in the network can run");
    return;
  }
  short_wait wait(limit.waits);
  while (!limit.has_room_for(place) && wait.goes_on()) {
  }
  if (limit.has_room_for(place)) return wait.arrived();
  refuse_own_threads(run_, "send while as many records as allowed are in flight");
  const off_cores meanwhile;
  const stream_monitor::blocked_writer me(run_.monitor, limit.blocked);
  limit.space.wait([&] { return limit.has_room_for(place) || run_.life.is_over() || run_.life.is_closed(); });
}

void run_input::send(record r) {
  check_fits(r);
  note_sending_thread();
  owned_body mine(std::move(r).release());
  const bool has_threads = run_.platform.has_threads();
  if (how_.runs_inline && has_threads && run_here(mine)) return;
  channel& in = entry_.inlet();
  while (!try_push(mine.get())) {
    if (const order_slot* const place = mine->order; place && !in_flight_limit::has_entered(*place)) {
      await_place(*place);
      continue;
    }
    if (!has_threads) {
      const stream_monitor::blocked_writer me(run_.monitor, in.blocked);
      if (!run_.run.help()) throw std::logic_error("send: the network is full and nothing in it can run");
      continue;
    }
    short_wait wait(waits_);
    while (!in.has_room() && wait.goes_on()) {
    }
    if (in.has_room()) {
      wait.arrived();
      continue;
    }
    refuse_own_threads(run_, "send into a full network");
    const off_cores meanwhile;
    const stream_monitor::blocked_writer me(run_.monitor, in.blocked);
    in.space.wait([&] { return in.has_room() || run_.life.is_over(); });
  }
  mine.release();
}

bool run_input::try_send(const record& r) {
  check_fits(r);
  note_sending_thread();
  owned_body mine(record(r).release());
  if (!try_push(mine.get())) return false;
  mine.release();
  return true;
}

}  // namespace weir::detail
