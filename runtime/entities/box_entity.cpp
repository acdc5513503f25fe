#include "runtime/entities/box_entity.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <optional>

#include <weir/record/errors.hpp>
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/box_invocation.hpp"
#include "runtime/entities/timed_invocation.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

box_entity::box_entity(run_environment& run, std::string p, component_state& c)
    : entity(run, std::move(p)),
      component(c),
      returns_one_(c.spec->code->returns_one && !c.spec->initialiser),  // what enters is counted
      call_(c.spec->code->call),
      callable_(c.spec->callable.get()),
      gives_none_(c.spec->code->gives_none) {
  set_alone(c.spec->initialiser || (c.widest == 1 && !c.spec->is_fold()));  // folds know it of their places
}

void box_entity::set_alone(bool alone) {
  taken.set_alone(alone);
  given.set_alone(alone);
  absorbed.set_alone(alone);
}

entity* box_entity::step(record_body*& r, context& c) {
  const box_plan* plan = component.plan_for(r->shape);
  if (plan && returns_one_ && !c.sampling && component.paced.is_sampled()) [[likely]]
    return return_one(r, c, *plan, nullptr);
  return plan ? run_with(r, c, *plan, nullptr) : no_match(r);
}

entity* box_entity::step_with(record_body*& r, context& c, const predictor_values_read* known) {
  const box_plan* const plan = component.plan_for(r->shape);
  return plan ? run_with(r, c, *plan, nullptr, known) : no_match(r);
}

// The same as return_one() for each record; the parts that all share are outside the loop.
entity* box_entity::step_all(std::span<record_body*>& batch, context& c) noexcept {
  if (!returns_one_ || component.limits_concurrency() || !component.paced.is_sampled())
    return entity::step_all(batch, c);
  slot_word words[max_given];
  const shape* of = nullptr;
  const box_plan* plan = nullptr;
  invocation i{nullptr, nullptr, words, 0, &c.by.lease->granted, nullptr};
  const entered_call around{run_.floats};
  c.by.doing.enter(*this);
  std::size_t left = 0;
  for (record_body* const r : batch) {
    try {
      if (r->shape != of) {
        plan = component.plan_for(r->shape);
        of = r->shape;
      }
      if (!plan) {
        no_match(r);
        continue;
      }
      i.input = r;
      i.take = plan->take.data();
      i.given_count = 0;
      const auto failed = [&] { threw(r, i); };
      if (!invoke(
              around, [&] { call_(callable_, i); }, failed, failed))
        continue;
      batch[left] = output_of(i, plan->variants[0]);
      ++left;
    } catch (const std::bad_alloc&) {
      lacks_memory(r);
    }
  }
  if (c.by.helping == 0) run_.floats.keep();  // else the state may be that of a box which waits
  batch = batch.first(left);
  return next;
}

bool box_entity::remember(const shape* s, bool ends, std::vector<cached_call>& cache) noexcept {
  if (!(ends ? gives_none_ : returns_one_) || component.limits_concurrency() || !component.paced.is_sampled())
    return false;
  const box_plan* const plan = component.plan_for(s);
  if (!plan || !(ends || plan->variants[0].in_place || plan->variants[0].keeps_body)) return false;
  try {
    cache.push_back({this, s, call_, callable_, plan->take.data(), ends ? -1 : plan->variants[0].only_slot,
                     ends ? nullptr : next, [](entity& at, record_body* r, const invocation& i) noexcept {
                       auto& box = static_cast<box_entity&>(at);
                       if (box.gives_none_) box.taken.add();
                       box.threw(r, i);
                     }});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void box_entity::finish_cached(const invocation& i) noexcept {
  if (i.given_count != invocation::in_input) rebuilt(i.input, component.plan_for(i.input->shape)->variants[0], i.given);
}

void box_entity::end_record(record_body* r, worker& by) noexcept {
  taken.add();
  by.spare.drop(r);
}

void box_entity::make_region(std::size_t capacity) {
  entity::make_region(capacity);
  own_region->weight = component.spec->priority;
  if (const label_info* const by = component.spec->first_by) own_region->in().set_priority(by->key);
}

bool box_entity::emits_while_running() const { return !returns_one_ && !component.spec->variants.empty(); }

void box_entity::may_stand_in_several() {
  if (!component.spec->initialiser) set_alone(false);
  const bool is_limited = component.spec->max_width < std::numeric_limits<int>::max();
  if (is_limited && (!emits_while_running() || component.batches)) component.limit_concurrency();
}

bool box_entity::fits_inline_send() const {
  return !component.batches && !emits_while_running() && !component.limits_concurrency() &&
         !component.spec->code->takes_grant && !component.runs_outside() &&
         (!component.spec->keeps || component.spec->is_fold());
}

entity* box_entity::no_match(record_body* r) {
  unmatched_.fetch_add(1, std::memory_order_relaxed);
  fail(failure_kind::no_match, r, component.mismatch(*r->shape));
  return nullptr;
}

// Calls the box, after waiting for a permit where concurrency is limited. False also where none was given; then the
// record has ended. Inline, as invoke() is.
template <class Call, class Threw, class CutShort>
[[gnu::always_inline]] inline bool box_entity::call(context& c, invocation& i, invocation_timing* timed,
                                                    const Call& call, const Threw& threw, const CutShort& cut_short) {
  const auto call_admitted = [&]() __attribute__((always_inline)) {
    return timed ? invoke(timed_call{run_.floats, run_.life, *timed}, call, threw, cut_short)
                 : invoke(untimed_call(run_.floats, c.by.doing, *this), call, threw, cut_short);
  };
  const auto call_on_its_cores = [&]() __attribute__((always_inline)) {
    bool well = false;
    if (timed && gets_idle_cores(c, i, *timed, [&] { well = call_admitted(); })) return well;
    return call_admitted();
  };
  if (!component.limits_concurrency()) [[likely]]
    return call_on_its_cores();
  admission::permit held;
  return admit(held, c.by, i.input, i) && call_on_its_cores();
}

// Whether it made the call, on idle cores of the shared group as well. A box that emits does not get them, since boxes
// behind would run inside it on all of these cores. Nor does a worker: its process may begin anew on other cores, or
// keeps its first number of them.
bool box_entity::gets_idle_cores(context& c, invocation& i, invocation_timing& timed,
                                 const std::function<void()>& call) {
  const group_share part{component.most_in_group.load(std::memory_order_relaxed),
                         component.seconds_on_one_core.load(std::memory_order_relaxed)};
  if (part.most_cores < 2 || !c.by.in_group || component.paced.is_sampled() || component.paced.was_short())
    return false;
  if (emits_while_running() && (!component.limits_concurrency() || component.processes)) return false;
  bool has_run = false;
  try {
    c.by.in_group->run_on_idle_cores(c.by, c.from, part, component.spec->code->takes_grant, [&] {
      has_run = true;
      timed.set_place(run_, c.by, timed_invocation::pays_for_usage(component, c.by.lease->granted.size()));
      i.granted = &c.by.lease->granted;
      call();
      run_.check_thread_state(c.by, name(), run_.life.now());  // before the thread is bound anew
    });
  } catch (const std::bad_alloc&) {  // not of the call, which throws nothing
  }
  i.granted = &c.by.lease->granted;
  return has_run;
}

// Any other box: one that emits, may give nothing, or is a sink. Inline, so that untimed invocations test for no
// timing.
[[gnu::always_inline]] inline entity* box_entity::run_any(record_body*& r, context& c, const box_plan& plan,
                                                          invocation_timing* timed, void* kept) {
  slot_word words[max_given];
  box_emission out(*this, component, given, c, plan, *r, timed);
  invocation i{r, plan.take.data(), words, 0, &c.by.lease->granted, &out, kept};
  bool gave = false, is_cut_short = false;
  const bool ended_well = call(
      c, i, timed, [&] { gave = call_(callable_, i); }, [&] { threw(r, i); }, [&] { is_cut_short = true; });
  if (is_cut_short) {
    // Its outputs stand for its input. An initialiser's input never entered.
    if (!out.has_sent() && !component.spec->initialiser) run_.errors.drop(1);
    drop_body(r);
    return nullptr;
  }
  out.send_gathered();
  if (!ended_well) return nullptr;
  if (!gave) {
    if (kept && !out.has_emitted()) absorbed.add();
    c.by.spare.drop(r);
    return nullptr;
  }
  r = output_of(i, plan.variants[0]);
  given.add();
  return next;
}

entity* box_entity::run_with(record_body*& r, context& c, const box_plan& plan, void* kept,
                             const predictor_values_read* known) {
  if (!returns_one_) taken.add();
  if (c.sampling || !component.paced.is_sampled()) return step_timed(r, c, plan, kept, known);
  return returns_one_ ? return_one(r, c, plan, nullptr, kept) : run_any(r, c, plan, nullptr, kept);
}

// A predictor that throws does so again before the invocation, and the record fails there.
double box_entity::foresee(record_body& r) const noexcept {
  try {
    const box_plan* const plan = component.plan_for(r.shape);
    if (!plan) return std::numeric_limits<double>::quiet_NaN();
    return component.spec->predict(component.spec->predictor.get(),
                                   {&r, plan->take.data(), nullptr, 0, nullptr, nullptr});
  } catch (...) {
    stop_forced_unwind();
    return std::numeric_limits<double>::quiet_NaN();
  }
}

bool box_entity::predict(record_body* r, context& c, const box_plan& plan, predictor_values_read& to) {
  invocation i{r, plan.take.data(), nullptr, 0, &c.by.lease->granted, nullptr};
  c.by.doing.enter(*this);
  try {
    to = component.predictors.read(i);
  } catch (...) {
    run_.floats.keep();
    fail_with(r, std::current_exception(), "its predictor");
    return false;
  }
  run_.floats.keep();
  c.by.doing.leave();
  return true;
}

entity* box_entity::step_timed(record_body*& r, context& c, const box_plan& plan, void* kept,
                               const predictor_values_read* known) {
  predictor_values_read values;
  if (known)
    values = *known;
  else if (component.predictors.are_there() && !predict(r, c, plan, values))
    return nullptr;
  timed_invocation timed(*this, component, *r, c, values, 1);
  entity* const to =
      returns_one_ ? return_one(r, c, plan, &timed.timing, kept) : run_any(r, c, plan, &timed.timing, kept);
  if (to && component.spec->initialiser)
    run_.latency.follow_if_wanted(*r, 0, run_.in_flight);  // the one that it returned
  timed.end(kept);
  if (component.batches && timed.seconds() > 0)
    component.batches->note(1, timed.seconds(), timed.is_after_move(), run_.settings.longest_batch);
  return to;
}

// Waits for what the invocation needs. False: its record has failed, or was dropped since the run stops.
bool box_entity::admit(admission::permit& held, worker& by, record_body* r, const invocation& i) noexcept {
  try {
    if (held.enter(*component.admission(), *this, {&i, 1}, run_, by.doing)) return true;
    run_.errors.drop(1);
    drop_body(r);
  } catch (...) {
    fail_with(r, std::current_exception());
  }
  run_.floats.keep();
  by.doing.leave();
  return false;
}

// A box that gives one for one by returning. Most boxes do, and this path must be short.
entity* box_entity::return_one(record_body*& r, context& c, const box_plan& plan, invocation_timing* timed,
                               void* kept) {
  slot_word words[max_given];
  invocation i{r, plan.take.data(), words, 0, &c.by.lease->granted, nullptr, kept};
  const auto failed = [&] { threw(r, i); };
  if (!call(
          c, i, timed, [&] { call_(callable_, i); }, failed, failed))
    return nullptr;
  r = output_of(i, plan.variants[0]);
  return next;
}

void box_entity::threw(record_body* r, const invocation& i) noexcept {
  let_go_of_given(*component.spec, i);
  fail_with(r, std::current_exception());
}

void box_entity::fail_with(record_body* r, const std::exception_ptr& cause, const char* who) noexcept {
  if (!cause && stop_forced_unwind())
    return fail_saying(failure_kind::box_threw, r, [&] { return std::string(who) + left_thread; });
  if (!cause)
    return fail_saying(failure_kind::box_threw, r,
                       [&] { return std::string(who) + " threw what is no C++ exception"; });
  try {
    std::rethrow_exception(cause);
  } catch (const type_error& e) {
    fail_saying(failure_kind::undeclared_emit, r, [&] { return said_by(e); });
  } catch (const stopped&) {
    run_.errors.drop(1);
    drop_body(r);
  } catch (const run_ending_error& e) {
    run_.end_by(failure_kind::box_threw, *this, *r, e.what());
    fail_saying(failure_kind::box_threw, r, [&] { return said_by(e); });
  } catch (const needs_too_much_error& e) {
    fail_saying(failure_kind::needs_too_much, r, [&] { return std::string(e.what()); });
  } catch (const timed_out_error& e) {
    fail_saying(failure_kind::timed_out, r, [&] { return said_by(e); });
  } catch (const std::bad_alloc&) {
    fail_saying(failure_kind::out_of_memory, r, [&] { return thrown_by(who); });
  } catch (...) {
    fail_saying(failure_kind::box_threw, r, [&] { return thrown_by(who); });
  }
}

// ---- the network's numbers ----

std::uint64_t box_entity::sent_to(const entity& to, std::uint64_t arrived) const {
  return returns_one_ ? entity::sent_to(to, arrived) : given.get();
}

flow_count box_entity::passed_to(const entity&) const {
  if (returns_one_) return {};
  return {given.get(), taken.get()};
}

std::uint64_t box_entity::ended() const {
  if (!component.spec->variants.empty() || component.spec->initialiser) return 0;
  const std::uint64_t lost = failed.load(std::memory_order_relaxed) - unmatched_.load(std::memory_order_relaxed);
  const std::uint64_t came = taken.get();
  return came - std::min(came, lost);
}

std::uint64_t box_entity::invocations(std::uint64_t arrived) const {
  if (!returns_one_) return taken.get();
  const std::uint64_t waiting = own_region ? own_region->in().in_stream() : 0;
  return arrived > waiting ? arrived - waiting : 0;
}

}  // namespace weir::detail
