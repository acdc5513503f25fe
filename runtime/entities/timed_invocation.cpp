#include "runtime/entities/timed_invocation.hpp"

#include <algorithm>

#include "runtime/devices/device_choice.hpp"
#include "runtime/engine/region.hpp"
#include "runtime/machine/arena.hpp"
#include "runtime/machine/process_threads.hpp"

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

timed_invocation::timed_invocation(entity& at, component_state& component, record_body& r, context& c,
                                   const predictor_values_read& of_record, std::uint32_t records)
    : at_(at), component_(component), context_(c) {
  worker& by = c.by;
  const double mean = component.mean_hint.load(std::memory_order_relaxed);
  // A change found here was made by earlier invocations, perhaps of other boxes.
  checks_thread_ =
      by.last_timed_at >= by.next_state_check || (by.last_checked_box != &component && mean >= long_enough_for_usage);
  if (checks_thread_) c.run.check_thread_state(by, "", by.last_timed_at);
  observed_.component = component.index;
  observed_.x = of_record.x;
  observed_.further = of_record.further;
  observed_.records = records;
  observed_.cores = by.lease->granted.size();
  observed_.width = component.on_device ? component.on_device->lanes() : c.from.limit();
  observed_.queue = static_cast<std::uint32_t>(c.from.in().in_stream());
  const std::uint64_t grant_now = component.moves.load(std::memory_order_relaxed);
  // The component's first invocation on this grant, not each lane's: with many lanes nothing would be left to learn
  // from.
  observed_.after_move = component.ran_on.load(std::memory_order_relaxed) != grant_now &&
                         component.ran_on.exchange(grant_now, std::memory_order_relaxed) != grant_now;
  if (c.run.trace.is_on()) path_ = at.path(r);
  timing.doing = &by.doing;
  timing.cores = static_cast<int>(observed_.cores);
  timing.first_core = by.lease->first_core();
  timing.seen = {&at, &r, of_record.x, timing.cores};
  timing.seen.records = records;
  const bool with_delays = reads_delays();
  if (with_delays || reads_usage())
    timing.usage.emplace(c.run.platform, by.arena ? by.arena->clocks() : nullptr, with_delays);
  // A long box may start threads, at its first call already; one that is short does not.
  if ((mean > 0 ? mean >= long_enough_for_usage : !component.paced.was_short()) && by.named_for != &component) {
    name_this_thread(component.thread_name().data());
    by.named_for = &component;
  }
  releases_ = by.releases;
}

void timed_invocation::end(const void* kept) {
  component_state& component = component_;
  worker& by = context_.by;
  run_environment& run = context_.run;
  observation& o = observed_;
  o.cores = timing.cores;
  o.first_core = static_cast<std::uint32_t>(std::max(0, timing.first_core));
  if (by.releases != releases_) component.releases_cores.store(true, std::memory_order_relaxed);
  // Elsewhere may be an estimate.
  o.seconds = std::max(timing.seconds - timing.elsewhere, invocation_timing::shortest);
  if (timing.usage) write_usage();
  if (kept && component.spec->code->use_of) note_use(component.spec->code->use_of(kept));
  const auto records = static_cast<double>(o.records);
  o.seconds /= records;
  o.cpu_seconds /= records;
  o.delayed_seconds /= records;
  o.start = timing.start - run.life.started_at();
  component.paced.note_timed(o.seconds);
  by.last_timed_at = timing.start + timing.seconds;
  if (checks_thread_ || timing.seconds >= long_enough_for_usage) {
    run.check_thread_state(by, at_.name(), by.last_timed_at);
    by.last_checked_box = &component;
    if (by.named_for == &component) name_this_thread(component.thread_name().data());
  }
  if (timing.seconds > 0 && timing.well) run.run.observe(by, o);
  if (component.on_device && timing.seconds > 0 && timing.well) component.on_device->observe_on_cores(o);
  if (run.trace.is_on() && timing.seconds > 0) trace();
}

void timed_invocation::trace() {
  context_.run.trace.add([&]() -> trace_event {
    return {.kind = trace_kind::invocation,
            .start = observed_.start,
            .seconds = timing.seconds,
            .core = timing.first_core,
            .cores = static_cast<int>(observed_.cores),
            .width = static_cast<int>(observed_.width),
            .x = observed_.x,
            .entity = at_.name(),
            .path = path_,
            .detail = observed_.records > 1 ? std::to_string(observed_.records) + " records" : ""};
  });
}

// A box that is told its cores may start threads of its own, which are not measured here. On one core it has none. On
// more, its own thread works as long as any, unless it sleeps while it waits for them.
void timed_invocation::write_usage() {
  const double cpu = timing.usage->cpu_seconds();
  const bool may_sleep = component_.spec->code->takes_grant && observed_.cores > 1;
  if (timing.elsewhere <= most_elsewhere * timing.seconds) {
    if (!(may_sleep && cpu < least_awake * timing.seconds)) observed_.cpu_seconds = cpu;
    observed_.delayed_seconds =
        std::min(timing.usage->delayed_seconds(observed_.seconds), observed_.seconds - invocation_timing::shortest);
  }
  observed_.switches = timing.usage->switches();
}

// The thread itself only started the work, and waited.
void timed_invocation::note_use(const invocation_use& use) {
  if (use.seconds <= 0) return;
  component_state& component = component_;
  observation& o = observed_;
  component.elsewhere.note(use, o.seconds);
  if (component.limits_concurrency() && use.peak_bytes > 0)
    component.admission()->note_process(o.x * o.records, static_cast<std::int64_t>(use.peak_bytes));
  o.seconds = std::max(use.seconds, invocation_timing::shortest);
  o.cpu_seconds = std::min(use.cpu_seconds, o.seconds);  // of one core: no more than of all, nor than the time
  o.delayed_seconds = 0;
  o.switches = 0;
}

// How long the first invocations take is unknown, and a model learns more from them than from any others. Behind a
// short one another short one is expected.
bool timed_invocation::reads_usage() const {
  const component_state& component = component_;
  return component.mean_hint.load(std::memory_order_relaxed) > 0
             ? pays_for_usage(component, static_cast<int>(observed_.cores))
             : context_.run.settings.learns_cpu_time && !component.paced.was_short();
}

bool timed_invocation::pays_for_usage(const component_state& component, int cores) {
  const double mean = component.mean_hint.load(std::memory_order_relaxed);
  return !(mean > 0) || mean >= cores * long_enough_for_usage;
}

// Also of the first invocations, as above.
bool timed_invocation::reads_delays() const {
  if (!context_.run.settings.subtracts_delays || !context_.run.cores.others().is_notable()) return false;
  const double mean = component_.mean_hint.load(std::memory_order_relaxed);
  return mean > 0 ? mean >= observed_.cores * long_enough_for_delays : !component_.paced.was_short();
}

}  // namespace weir::detail
