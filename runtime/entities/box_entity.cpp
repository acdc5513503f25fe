#include "runtime/entities/box_entity.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <optional>

#include <weir/record/errors.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/entities/box_invocation.hpp"
#include "runtime/machine/arena.hpp"
#include "runtime/machine/lane_usage.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

namespace {

// Seconds of an invocation per core, from which on its CPU time is read. Two reads for each thread of the lane, and of
// its own thread's switches, cost 1 us of the lane's time: 0.25 % from here on.
constexpr double long_enough_for_usage = 400e-6;
// The same for delays: two reads of a file for each thread, 10 us.
constexpr double long_enough_for_delays = 1e-3;

// The part of an invocation that may pass in boxes downstream or waiting. The CPU time of that part is not known
// separately, so with more of it no CPU time is given.
constexpr double most_elsewhere = 0.01;

// The part of an invocation in which a thread that works computes at least, on cores that it shares with others.
constexpr double least_awake = 0.5;

}  // namespace

box_entity::box_entity(run_environment& run, std::string p, component_state& c)
    : entity(run, std::move(p)),
      component(c),
      returns_one_(c.spec->code->returns_one && !c.spec->initialiser),  // what enters is counted
      call_(c.spec->code->call),
      callable_(c.spec->callable.get()),
      gives_none_(c.spec->code->gives_none) {
  set_alone(c.spec->initialiser || (c.widest == 1 && !c.spec->is_fold()));
}

void box_entity::set_alone(bool alone) {
  taken.set_alone(alone);
  given.set_alone(alone);
}

entity* box_entity::step(record_body*& r, context& c) {
  const box_plan* plan = component.plan_for(r->shape);
  if (plan && returns_one_ && !c.sampling && component.paced.is_sampled()) [[likely]]
    return return_one(r, c, *plan, nullptr);
  return plan ? run_with(r, c, *plan, nullptr) : no_match(r);
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

void box_entity::end_record(record_body* r) noexcept {
  taken.add();
  drop_body(r);
}

bool box_entity::emits_while_running() const { return !returns_one_ && !component.spec->variants.empty(); }

void box_entity::may_stand_in_several() {
  if (!component.spec->initialiser) set_alone(false);
  const bool is_limited = component.spec->max_width < std::numeric_limits<int>::max();
  if (is_limited && !emits_while_running()) component.limit_concurrency();
}

bool box_entity::suits_a_sender() const {
  return !emits_while_running() && !component.limits_concurrency() && !component.spec->code->takes_grant &&
         !component.runs_outside() && (!component.spec->keeps || component.spec->is_fold());
}

entity* box_entity::no_match(record_body* r) {
  unmatched_.fetch_add(1, std::memory_order_relaxed);
  fail(failure_kind::no_match, r, component.mismatch(*r->shape));
  return nullptr;
}

entity* box_entity::run_with(record_body*& r, context& c, const box_plan& plan, void* kept) {
  if (!returns_one_) taken.add();
  if (c.sampling || !component.paced.is_sampled()) return step_timed(r, c, plan, kept);
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
    if (!std::current_exception()) keeps_thread();
    return std::numeric_limits<double>::quiet_NaN();
  }
}

bool box_entity::predict(record_body* r, context& c, const box_plan& plan, double& x) {
  invocation i{r, plan.take.data(), nullptr, 0, &c.by.lease->granted, nullptr};
  c.by.doing.enter(*this);
  try {
    x = component.spec->predict(component.spec->predictor.get(), i);
  } catch (...) {
    run_.floats.keep();
    fail_with(r, std::current_exception());
    return false;
  }
  run_.floats.keep();
  c.by.doing.leave();
  return true;
}

// A box that is told its cores may start threads of its own, which are not measured here. On one core it has none. On
// more, its own thread works as long as any, unless it sleeps while it waits for them.
void box_entity::write_usage(observation& o, const invocation_timing& t) const {
  const double cpu = t.usage->cpu_seconds();
  const bool may_sleep = component.spec->code->takes_grant && o.cores > 1;
  if (t.elsewhere <= most_elsewhere * t.seconds) {
    if (!(may_sleep && cpu < least_awake * t.seconds)) o.cpu_seconds = cpu;
    o.delayed_seconds = std::min(t.usage->delayed_seconds(o.seconds), o.seconds - invocation_timing::shortest);
  }
  o.switches = t.usage->switches();
}

entity* box_entity::step_timed(record_body*& r, context& c, const box_plan& plan, void* kept) {
  // A change found here was made by earlier invocations, perhaps of other boxes.
  const bool looks = c.by.last_timed_at >= c.by.next_state_check ||
                     (c.by.last_checked_box != &component &&
                      component.mean_hint.load(std::memory_order_relaxed) >= long_enough_for_usage);
  if (looks) run_.check_thread_state(c.by, "", c.by.last_timed_at);
  observation o;
  o.component = component.index;
  const core_lease& on = *c.by.lease;
  if (component.spec->predict && !predict(r, c, plan, o.x)) return nullptr;
  o.cores = on.granted.size();
  o.first_core = static_cast<std::uint32_t>(std::max(0, on.first_core()));
  o.width = component.on_device ? component.on_device->lanes() : c.from.limit();
  o.queue = static_cast<std::uint32_t>(c.from.inlet().size());
  const std::uint64_t grant_now = component.moves.load(std::memory_order_relaxed);
  // The component's first invocation on this grant, not each lane's: with many lanes nothing would be left to learn
  // from.
  o.after_move = component.ran_on.load(std::memory_order_relaxed) != grant_now &&
                 component.ran_on.exchange(grant_now, std::memory_order_relaxed) != grant_now;

  const std::string at = run_.trace.is_on() ? path(*r) : std::string();
  invocation_timing t;
  t.doing = &c.by.doing;
  t.seen = {this, r, o.x, static_cast<int>(o.cores)};
  const bool with_delays = reads_delays(o.cores);
  if (with_delays || reads_usage(o.cores))
    t.usage.emplace(run_.outside, c.by.arena ? c.by.arena->clocks() : nullptr, with_delays);
  // A long box may start threads, at its first call already; one that is short does not.
  if (const double mean = component.mean_hint.load(std::memory_order_relaxed);
      (mean > 0 ? mean >= long_enough_for_usage : !component.paced.was_short()) && c.by.named_for != &component) {
    name_this_thread(component.thread_name().data());
    c.by.named_for = &component;
  }
  const std::uint32_t releases = c.by.releases;
  entity* const to = returns_one_ ? return_one(r, c, plan, &t, kept) : run_any(r, c, plan, &t, kept);
  if (c.by.releases != releases) component.releases_cores.store(true, std::memory_order_relaxed);
  if (to && component.spec->initialiser)
    run_.latency.follow_if_wanted(*r, 0, run_.in_flight);                      // the one that it returned
  o.seconds = std::max(t.seconds - t.elsewhere, invocation_timing::shortest);  // elsewhere may be an estimate
  if (t.usage) write_usage(o, t);
  if (kept && component.spec->code->use_of) note_use(component.spec->code->use_of(kept), o);
  o.start = t.start - run_.life.started_at();
  component.paced.note_timed(o.seconds);
  c.by.last_timed_at = t.start + t.seconds;
  if (looks || t.seconds >= long_enough_for_usage) {
    run_.check_thread_state(c.by, name(), c.by.last_timed_at);
    c.by.last_checked_box = &component;
    if (c.by.named_for == &component) name_this_thread(component.thread_name().data());
  }
  if (t.seconds > 0 && t.well) run_.run.observe(c.by, o);
  if (component.on_device && t.seconds > 0 && t.well) component.on_device->observe_on_cores(o);
  if (run_.trace.is_on() && t.seconds > 0)
    run_.trace.add([&]() -> trace_event {
      return {.kind = trace_kind::invocation,
              .start = o.start,
              .seconds = t.seconds,
              .core = on.first_core(),
              .cores = static_cast<int>(o.cores),
              .width = static_cast<int>(o.width),
              .x = o.x,
              .entity = name(),
              .path = at,
              .detail = ""};
    });
  return to;
}

// The thread itself only started the work, and waited.
void box_entity::note_use(const invocation_use& use, observation& o) {
  if (use.seconds <= 0) return;
  component.elsewhere.note(use, o.seconds);
  if (component.limits_concurrency() && use.peak_bytes > 0)
    component.admission()->note_process(o.x, static_cast<std::int64_t>(use.peak_bytes));
  o.seconds = std::max(use.seconds, invocation_timing::shortest);
  o.cpu_seconds = std::min(use.cpu_seconds, o.seconds);  // of one core: no more than of all, nor than the time
  o.delayed_seconds = 0;
  o.switches = 0;
}

// How long the first invocations take is unknown, and a model learns more from them than from any others. Behind a
// short one another short one is expected.
bool box_entity::reads_usage(int cores) const {
  const double mean = component.mean_hint.load(std::memory_order_relaxed);
  return mean > 0 ? mean >= cores * long_enough_for_usage
                  : run_.settings.learns_cpu_time && !component.paced.was_short();
}

// Also of the first invocations, as above.
bool box_entity::reads_delays(int cores) const {
  if (!run_.settings.subtracts_delays || !run_.cores.others().is_notable()) return false;
  const double mean = component.mean_hint.load(std::memory_order_relaxed);
  return mean > 0 ? mean >= cores * long_enough_for_delays : !component.paced.was_short();
}

template <class Call, class Threw, class CutShort>
inline bool box_entity::call(context& c, invocation_timing* timed, const Call& call, const Threw& threw,
                             const CutShort& cut_short) {
  return timed ? invoke(timed_call{run_.floats, run_.life, *timed}, call, threw, cut_short)
               : invoke(untimed_call(run_.floats, c.by.doing, *this), call, threw, cut_short);
}

// Waits for what the invocation needs. False: its record has failed, or was dropped since the run stops.
bool box_entity::admit(std::optional<admission::permit>& held, worker& by, record_body* r,
                       const invocation& i) noexcept {
  try {
    if (held.emplace().enter(*component.admission(), *this, i, run_, by.doing)) return true;
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
  std::optional<admission::permit> held;
  if (component.limits_concurrency() && !admit(held, c.by, r, i)) [[unlikely]]
    return nullptr;
  const auto failed = [&] { threw(r, i); };
  if (!call(
          c, timed, [&] { call_(callable_, i); }, failed, failed))
    return nullptr;
  r = output_of(i, plan.variants[0]);
  return next;
}

// Any other box: one that emits, may give nothing, or is a sink.
entity* box_entity::run_any(record_body*& r, context& c, const box_plan& plan, invocation_timing* timed, void* kept) {
  slot_word words[max_given];
  box_emission out(*this, component, given, c, plan, *r, timed);
  invocation i{r, plan.take.data(), words, 0, &c.by.lease->granted, &out, kept};
  bool gave = false, is_cut_short = false, ended_well = false;
  {
    std::optional<admission::permit> held;
    if (component.limits_concurrency() && !admit(held, c.by, r, i)) [[unlikely]]
      return nullptr;
    ended_well = call(
        c, timed, [&] { gave = call_(callable_, i); }, [&] { threw(r, i); }, [&] { is_cut_short = true; });
  }
  if (is_cut_short) {
    // Its outputs stand for its input. An initialiser's input never entered.
    if (!out.has_sent() && !component.spec->initialiser) run_.errors.drop(1);
    drop_body(r);
    return nullptr;
  }
  out.send_gathered();
  if (!ended_well) return nullptr;
  if (!gave) {
    if (kept && !out.has_emitted()) gave_nothing();
    drop_body(r);
    return nullptr;
  }
  r = output_of(i, plan.variants[0]);
  given.add();
  return next;
}

void box_entity::threw(record_body* r, const invocation& i) noexcept {
  for (int g = 0; g < i.given_count; ++g) {
    const label_info& l = *component.spec->variants[0][static_cast<std::size_t>(g)];
    if (l.type && !l.type->inlined) let_go(i.given[g], *l.type);
  }
  fail_with(r, std::current_exception());
}

void box_entity::fail_with(record_body* r, const std::exception_ptr& cause) noexcept {
  if (!cause && keeps_thread())
    return fail_saying(failure_kind::box_threw, r, [] { return std::string("the box") + left_thread; });
  if (!cause) return fail(failure_kind::box_threw, r, "the box threw what is no C++ exception");
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
    fail_saying(failure_kind::out_of_memory, r, [] { return thrown_by("the box"); });
  } catch (...) {
    fail_saying(failure_kind::box_threw, r, [] { return thrown_by("the box"); });
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
  const std::uint64_t waiting = own_region ? own_region->inlet().size() : 0;
  return arrived > waiting ? arrived - waiting : 0;
}

}  // namespace weir::detail
