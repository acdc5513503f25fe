#include "runtime/run/report_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/entities/gather_entity.hpp"
#include "runtime/entities/order_entities.hpp"
#include "runtime/entities/sync_entity.hpp"
#include "runtime/placed/call_entity.hpp"
#include "runtime/placed/hosted_entry_entity.hpp"
#include "runtime/report/largest.hpp"
#include "runtime/run/work_plan.hpp"
#include "runtime/statistics/traffic.hpp"
#include "scheduler/expect/flow.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::detail {

namespace {

constexpr std::size_t most_listed = 100;  // a report is for reading
static_assert(run_report::notable_foreign_load == foreign_load::notable, "texts and models go by one limit");
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// Lists the synchrocells that still hold records.
void list_held(scope& in, std::vector<held_report>& into) {
  for (std::size_t i = 0; i < in.of().states.size() && into.size() < most_listed; ++i) {
    const auto& state = in.state(i);
    if (!state) continue;
    if (const std::size_t count = state->held()) into.push_back({in.path(in.of().states[i]->path_pattern()), count});
    state->each_scope([&](scope& inner) { list_held(inner, into); });
  }
}

// Records in the region of an entity. In the unbounded inlet of one that hears from other ranks they are on their way,
// and in that of an initialiser lies no record of the network's.
std::size_t kept_by(const entity& s) {
  const auto* const box = dynamic_cast<const box_entity*>(&s);
  const std::size_t starting = box && box->component.spec->initialiser ? s.own_region->in().in_stream() : 0;
  const bool hears = dynamic_cast<const call_entity*>(&s) || dynamic_cast<const hosted_entry_entity*>(&s);
  const std::size_t kept = s.own_region->pending(!hears);
  return kept - std::min(kept, starting);
}

// All functions below are called with the locks of placing and learning held.

void add_counts(const report_parts& of, run_report& r) {
  r.results = of.output.pushed();
  r.failures = of.run.errors.newest(most_listed);
  for (failure& f : r.failures) f.as_record = nullptr;  // a report is text and numbers
  // Read after them, so at least as many. Failures on other ranks were reported by them.
  const std::uint64_t elsewhere = of.run.errors.failed_elsewhere();
  r.failed = of.run.errors.failed_here() + elsewhere;
  r.away = static_cast<std::int64_t>(of.run.errors.failures_told_home() - elsewhere);
  r.failures_not_shown = r.failed - r.failures.size();
  for (int kind = 0; kind < failure_kinds; ++kind)
    if (const auto count = of.run.errors.failed(static_cast<failure_kind>(kind)))
      r.failed_by.emplace_back(to_string(static_cast<failure_kind>(kind)), count);
  r.dropped = of.run.errors.dropped();
  const bool is_stopping = of.run.life.is_stopping();
  for (const auto& s : of.net.entities) {
    if (dynamic_cast<const fold_end_entity*>(s.get())) continue;
    if (of.is_quiet && s->own_region) r.dropped += kept_by(*s);
    if (const auto* exit = dynamic_cast<const order_exit_entity*>(s.get()); exit && of.is_quiet)
      r.dropped += exit->waiting();
    if (const auto* sync = dynamic_cast<const sync_entity*>(s.get())) r.held += sync->held() + sync->left_behind();
    if (const auto* gather = dynamic_cast<const gather_entity*>(s.get())) {
      r.held += gather->held();
      // A batch that was dropped counts as one record already.
      if (of.is_quiet) r.dropped += gather->records_dropped() - gather->batches_dropped();
    }
  }
  // Records that a stop kept from an initialiser never entered.
  for (const box_entity* box : of.net.boxes)
    if (box->component.spec->initialiser && box->own_region) {
      const std::uint64_t begun = box->taken.get();
      r.dropped -= std::min(r.dropped, box->own_region->inlet().popped() - begun);
    }
  for (const call_entity* call : of.net.calls) r.away += call->away();
  for (const hosted_entry_entity* part : of.net.hosted) r.away += part->away();
  if (is_stopping)
    for (const fold_entity* fold : of.net.folds) r.unfinished += fold->unfinished();
  if (of.run.life.has_drained() && of.net.outermost) list_held(*of.net.outermost, r.held_at);
  r.unfolded = of.run.trace.unfolded();
  r.removed = of.run.trace.removed();
}

// "{0-3} (2 P, 2 E)".
std::string words_of(const core_set& cores, const topology& machine) {
  const std::string kinds = machine.kinds_of(cores);
  return '{' + to_string(cores) + '}' + (kinds.empty() ? "" : " (" + kinds + ')');
}

std::string place_of(const report_parts& of, const component_state& c, const share& has) {
  if (!has.cores.empty())
    return "own cores " + words_of(has.cores, *of.machine.cores()) + ", " + std::to_string(has.width) +
           (has.width == 1 ? " lane" : " lanes");
  if (c.is_blocking()) return "outside the cores, " + std::to_string(c.spec->max_width) + " at once";
  if (c.paced.is_inlined()) return "inline";
  const allotment& now = of.places.in_force();
  const int host = now.shared_host();
  return "shared group " + words_of(now.shared, *of.machine.cores()) +
         (host >= 0 ? " on a core of " + of.net.components[static_cast<std::size_t>(host)]->spec->name : "");
}

void add_resources(const report_parts& of, run_report& r) {
  std::set<const resource_ledger::account*> all;
  for (const auto& c : of.net.components)
    if (const admission* const a = c->admission())
      for (const resource_ledger::account* const one : a->accounts()) all.insert(one);
  for (const resource_ledger::account* const one : all) {
    const resource_ledger::snapshot now = of.machine.resources().seen(*one);
    r.resources.push_back({one->name(), one->total(), now.in_use, now.peak});
  }
  std::sort(r.resources.begin(), r.resources.end(),
            [](const resource_report& a, const resource_report& b) { return a.name < b.name; });
}

// Returns the number of the component's records that a device ran.
std::uint64_t add_device(const component_state& c, run_report& r) {
  if (!c.on_device) return 0;
  const device_numbers n = c.on_device->read();
  const device& where = c.on_device->device().device();
  r.devices.push_back({where.name(),
                       c.spec->name,
                       where.slots(),
                       n.peak,
                       n.invocations,
                       n.errors,
                       n.explored,
                       n.mean_seconds > 0 ? n.mean_seconds : not_known,
                       n.total_seconds,
                       n.pause,
                       n.crossing,
                       {},
                       n.records,
                       n.size_on_cores,
                       n.size_on_device});
  for (const device_numbers::input& i : n.inputs)
    r.devices.back().inputs.push_back({i.x, i.on_cores, i.on_device, i.on_full_device});
  return n.records;
}

void add_component(const report_parts& of, const component_state& c, std::uint64_t invocations, run_report& r) {
  const share& has = of.places.in_force().components[c.index];
  const learner& learnt = *c.learnt;
  component_report x;
  x.name = c.spec->name;
  x.place = place_of(of, c, has);
  x.cores = has.cores.size();
  x.width = c.is_blocking()     ? c.spec->max_width
            : has.cores.empty() ? std::min(of.places.shared_lanes(), c.widest)
                                : has.width;
  x.invocations = invocations;
  const std::uint64_t on_device = std::min(add_device(c, r), invocations);
  x.observations = learnt.observed();
  x.total_seconds = learnt.observed_seconds();
  x.mean_seconds =
      learnt.observed() > 0 ? learnt.observed_seconds() / static_cast<double>(learnt.observed_records()) : not_known;
  x.mean_cores = x.total_seconds > 0 ? learnt.busy_core_seconds() / x.total_seconds : not_known;
  x.utilisation =
      has.cores.empty() || r.seconds <= 0 ? not_known : learnt.busy_core_seconds() / (r.seconds * has.cores.size());
  // Lanes of the shared group have one core each, and an invocation there may have several.
  const double lanes = has.is_member() && !c.is_blocking()
                           ? std::min<double>(x.width, of.places.shared_lanes() / x.mean_cores)
                           : x.width;
  if (x.invocations == 0)
    x.busy = 0;
  else
    x.busy = r.seconds > 0 ? std::min(1.0, static_cast<double>(invocations - on_device) * x.mean_seconds /
                                               (r.seconds * std::max(1.0, lanes)))
                           : not_known;
  x.process_peak_bytes = c.elsewhere.peak_bytes();
  x.process_overhead = c.elsewhere.seconds_around();
  if (c.batches) {
    x.most_together = c.spec->most_in_batch;
    if (const auto made = static_cast<double>(c.batches->invocations()); made > 0)
      x.records_together = static_cast<double>(c.batches->records()) / made;
  }
  if (const admission* const a = c.admission())
    x.resource_waits = a->waited(), x.resource_wait_seconds = a->seconds_waited();
  x.held_up = of.run.monitor.watches() ? 0 : not_known;
  x.model = learnt.describe();
  c.predictors.name_uses(x.model);
  r.components.push_back(std::move(x));
  r.names.push_back(c.spec->name);
}

// Adds the learnt models, to be drawn. At most this number of components, since a model takes some kilobytes.
void add_learnt(const report_parts& of, run_report& r) WEIR_NOT_ANALYSED {
  constexpr std::size_t most_drawn = 64;
  const std::string here = of.run.platform.cores()->description();
  for (const std::size_t i :
       largest(r.components, most_drawn, [](const component_report& c) { return c.total_seconds; })) {
    component_report& x = r.components[i];
    if (x.model.observations == 0) continue;  // of this run or those before
    component_state& c = *of.net.components[i];
    x.learnt = of.learnt.saved(c, here);
    x.recent = c.learnt->last();
  }
}

// The boxes whose records come into a stream without another stream between: they were held up when it was full.
void add_held_up(const entity& reader, double seconds, run_report& r) {
  std::set<const entity*> seen;
  std::vector<const entity*> open(reader.previous.begin(), reader.previous.end());
  while (!open.empty()) {
    const entity* const at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    if (const auto* const box = dynamic_cast<const box_entity*>(at)) {
      double& held_up = r.components[box->component.index].held_up;
      held_up = std::min(1.0, std::max(held_up, seconds / r.seconds));
    }
    if (at->is_fused()) open.insert(open.end(), at->previous.begin(), at->previous.end());
  }
}

void add_network(const report_parts& of, run_report& r) WEIR_NOT_ANALYSED {
  network_report& n = r.network;
  const latency_probe::summary followed = of.run.latency.seen();
  n.followed = followed.followed;
  n.latency_mean = followed.mean;
  n.latency_p50 = followed.p50;
  n.latency_p99 = followed.p99;
  const auto entered = static_cast<double>(of.learnt.entered(r.sent));
  if (r.seconds > 0) n.arrival_rate = entered / r.seconds;
  if (r.components.empty()) return;
  const system_view now = of.control.view();
  const flow expected = expected_flow(now, now.current, n.arrival_rate);
  n.predicted_throughput = expected.throughput;
  n.predicted_latency = expected.latency;
  if (std::ranges::any_of(now.current.components, &share::is_member))
    n.predicted_group_utilisation = expected.group_utilisation;
  if (expected.bottleneck >= 0) {
    const auto at = static_cast<std::size_t>(expected.bottleneck);
    n.bottleneck = r.names[at];
    n.bottleneck_is_shared = now.current.components[at].is_member();
  }
  const std::vector<double> seconds = expected_times(now, now.current).seconds;
  for (std::size_t i = 0; i < r.components.size(); ++i) {
    component_report& x = r.components[i];
    x.visits = now.components[i].visits;
    x.observed_visits = entered > 0 ? static_cast<double>(x.invocations) / entered : not_known;
    x.predicted_seconds = seconds[i];
    x.predicted_utilisation = expected.own_utilisation[i];
  }
  for (const link& l : now.links)
    r.links.push_back({l.from < 0 ? outer_end("input", r.names) : r.names[static_cast<std::size_t>(l.from)],
                       r.names[static_cast<std::size_t>(l.to)], l.records});
}

void add_streams(const report_parts& of, run_report& r) WEIR_NOT_ANALYSED {
  std::vector<double> utilisation;  // a stream before a member waits for the whole group
  for (std::size_t i = 0; i < r.components.size(); ++i) {
    const double own = r.components[i].predicted_utilisation;
    const bool shares = !std::isnan(own) && of.places.in_force().components[i].is_member();
    utilisation.push_back(shares ? r.network.predicted_group_utilisation : own);
  }
  const std::vector<double> load = of.places.loads(utilisation);
  const stream_monitor& monitor = of.run.monitor;
  const std::string input = outer_end("input", r.names);
  const auto senders = [&](const entity& to) {
    const std::string names = writers_of(to);
    return names.empty() ? input : names;
  };
  const auto add = [&](const entity& reader, stream_report s, const auto& in, const blocked_time& blocked) {
    const auto [came, left] = in.arrivals_and_departures();
    const double now = monitor.time();
    s.occupancy = std::min(mean_between(came, left, now), static_cast<double>(s.peak));
    if (monitor.watches()) s.blocked_seconds = blocked.seconds(now);
    if (s.blocked_seconds > 0 && r.seconds > 0) add_held_up(reader, s.blocked_seconds, r);
    s.bytes = bytes_of_all(came, left);
    r.streams.push_back(std::move(s));
  };
  r.monitored = monitor.watches();
  for (const auto& s : of.net.entities) {
    if (s->is_fused() || !s->own_region || dynamic_cast<const fold_end_entity*>(s.get())) continue;
    const stream& in = s->own_region->inlet();
    const bool is_exit = dynamic_cast<const order_exit_entity*>(s.get());  // of an ordered network
    if (!is_exit)
      add(*s,
          {senders(*s), s->name(), in.popped(), in.limit(), in.peak(),
           std::isnan(load[s->index]) ? 0 : places_for(load[s->index])},
          *s->own_region, s->own_region->blocked);
    if (const auto* const extra = s->own_region->unbounded())
      add(*s, {s->name(), s->name() + " again", extra->popped(), 0, extra->peak(), 0}, *extra,
          is_exit ? s->inlet().blocked : extra->blocked);
  }
  const results& out = of.output;
  add(*of.net.exit,
      {senders(*of.net.exit), outer_end("output", r.names), out.pushed(), out.bounded() ? out.capacity() : 0,
       out.peak(), 0},
      out, out.blocked);
}

}  // namespace

run_report report_of(const report_parts& of) {
  run_report r;
  const lock_guard placing(of.places.lock());
  const lock_guard learning(of.learnt.lock());
  of.learnt.absorb_all();
  r.policy = of.control.rule().name();
  const core_set permitted = of.machine.permitted();
  r.machine = of.machine.cores()->summary(permitted);
  r.cores = permitted.size();
  r.ended = of.run.life.is_over();
  r.seconds = of.run.life.time();
  r.began = of.run.life.began();
  add_counts(of, r);
  r.records_ended = ends_of(of.net).ended;  // before emitted: nothing may have ended that was not emitted
  const auto ran = of.learnt.invocations(of.input.sent());
  r.emitted = ends_of(of.net).emitted;
  r.sent = of.input.sent();  // last: while the network runs, nothing may be counted that was not yet sent
  for (const auto& c : of.net.components) add_component(of, *c, ran[c->index], r);
  add_learnt(of, r);
  add_network(of, r);
  for (const box_entity* box : of.net.boxes) r.components[box->component.index].failures += box->failed.load();
  const std::vector<thread_watch::use> uses = of.watches.threads().seen();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    r.components[i].own_threads = uses[i].threads;
    r.components[i].cores_beyond_grant = uses[i].cores;
  }
  add_streams(of, r);
  if (const in_flight_limit& limit = of.run.in_flight; limit.is_on()) {
    const in_flight_limit::snapshot now = limit.seen();
    r.in_flight = {now.records, limit.most(), now.peak, now.bytes, limit.most_bytes(), now.bytes_peak};
    if (r.ended) r.in_flight.records = r.in_flight.bytes = 0;  // what a stop dropped keeps its places
    if (of.run.monitor.watches()) r.in_flight.blocked_seconds = limit.blocked.seconds(of.run.monitor.time());
  }
  add_resources(of, r);
  const run_history::moment now{.time = r.seconds,
                                .sent = r.sent,
                                .results = r.results,
                                .failed = r.failed,
                                .predicted = r.network.predicted_throughput,
                                .foreign = of.machine.others().latest(),
                                .emitted = r.emitted,
                                .ended = r.records_ended,
                                .held_back = held_back(of.net, of.run)};
  r.history = of.watches.history().rows(r.ended ? &now : nullptr, of.run.latency);
  r.goal = of.watches.history().verdict(r.history);
  r.foreign_load = of.watches.history().foreign_load();
  const controller::forgotten_decisions forgotten = of.control.forgotten_decisions();
  r.decisions_not_shown = forgotten.decisions;
  r.reverted_not_shown = forgotten.reverted;
  r.decisions = of.control.decisions();
  std::tie(r.hanging, r.hung) = of.watches.hangs().seen();
  r.waits_for = of.watches.waits_for();
  r.notes = of.notes.all();
  if (of.run.cores.was_binding_refused())
    r.notes.push_back("the system refused to bind threads to cores: cores are granted by number only");
  return r;
}

}  // namespace weir::detail
