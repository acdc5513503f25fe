#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/run_state.hpp"
#include "runtime/sync_stage.hpp"
#include "scheduler/flow.hpp"

namespace weir::detail {

namespace {

constexpr std::size_t most_listed = 100;  // a report is for reading

// The synchrocells that still hold records.
void list_held(scope& in, std::vector<held_report>& into) {
  for (std::size_t i = 0; i < in.of().states.size() && into.size() < most_listed; ++i) {
    const auto& state = in.state(i);
    if (!state) continue;
    if (const std::size_t count = state->held()) into.push_back({in.path(in.of().states[i]->path_pattern()), count});
    state->each_scope([&](scope& inner) { list_held(inner, into); });
  }
}

}  // namespace

// Under learning_ and placing_.
void run_state::report_network(run_report& r) {
  network_report& n = r.network;
  const latency_probe::summary followed = latency_.seen();
  n.followed = followed.followed;
  n.latency_mean = followed.mean;
  n.latency_p50 = followed.p50;
  n.latency_p99 = followed.p99;
  const auto entered = static_cast<double>(traffic_->entered(r.sent));
  if (r.seconds > 0) n.arrival_rate = entered / r.seconds;
  if (components_.empty()) return;
  const system_view now = view();
  const flow expected = expected_flow(now, in_force_, n.arrival_rate);
  n.predicted_throughput = expected.throughput;
  n.predicted_latency = expected.latency;
  const std::vector<double> seconds = expected_times(now, in_force_).seconds;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    r.components[i].visits = now.components[i].visits;
    r.components[i].observed_visits = entered > 0 ? static_cast<double>(r.components[i].invocations) / entered
                                                  : std::numeric_limits<double>::quiet_NaN();
    r.components[i].predicted_seconds = seconds[i];
    r.components[i].predicted_utilisation = expected.utilisation[i];
  }
  for (const link& l : now.links)
    r.links.push_back({l.from < 0 ? "input" : r.names[static_cast<std::size_t>(l.from)],
                       r.names[static_cast<std::size_t>(l.to)], l.records});
}

// Under learning_ and placing_.
void run_state::report_streams(run_report& r) const {
  std::vector<double> utilisation;
  for (const component_report& c : r.components) utilisation.push_back(c.predicted_utilisation);
  const std::vector<double> load = loads(heads(), utilisation);
  const auto senders = [&](const stage& to) {
    std::string names;
    for (const stage* p : to.previous)
      if (names.find(p->name()) == std::string::npos) names += (names.empty() ? "" : " | ") + p->name();
    return names.empty() ? "input" : names;
  };
  const auto add = [&](stream_report s, const auto& in, const blocked_time& blocked) {
    const auto [came, left] = in.came_and_left();
    const double now = time();
    s.occupancy = std::min(mean_between(came, left, now), static_cast<double>(s.peak));
    if (monitors()) s.blocked_seconds = blocked.seconds(now);
    s.bytes = bytes_of_all(came, left);
    r.streams.push_back(std::move(s));
  };
  r.monitored = monitors();
  for (const auto& s : stages_) {
    if (s->is_fused() || !s->own_region) continue;
    const stream& in = s->own_region->inlet();
    if (!dynamic_cast<const order_exit_stage*>(s.get()))
      add({senders(*s), s->name(), in.popped(), in.limit(), in.peak(),
           std::isnan(load[s->index]) ? 0 : places_for(load[s->index])},
          *s->own_region, s->own_region->blocked);
    if (const auto* const extra = s->own_region->unbounded())
      add({s->name(), s->name() + " again", extra->popped(), 0, extra->peak(), 0}, *extra, extra->blocked);
  }
  add({senders(*exit_), "output", results_.pushed(), results_.bounded() ? results_.capacity() : 0, results_.peak(), 0},
      results_, results_.blocked);
}

void run_state::tell_all() {
  if (options_.on_observation) {
    const lock_guard lock(learning_);
    absorb_all();
  }
  messages_.tell_all();
}

void run_state::see_to_messages() noexcept {
  if (messages_.has_untold() && !messages_.start()) messages_.tell_here();
}

void run_state::note(const std::string& sentence) {
  const lock_guard lock(state_mutex_);
  if (std::find(notes_.begin(), notes_.end(), sentence) != notes_.end()) return;
  notes_.push_back(sentence);
  messages_.put(sentence);
  machine_->wake_controller();
}

run_report run_state::report() {
  run_report r;
  const telling afterwards(*this);
  const lock_guard placing(placing_);
  const lock_guard learning(learning_);
  absorb_all();
  r.policy = options_.policy.name();
  r.machine = machine_->cores()->summary();
  const double ended = ended_at_.load();
  r.seconds = (ended > 0 ? ended : now()) - started_at_;
  r.results = results_.pushed();
  r.failures = failures_.newest(most_listed);
  r.failed = failures_.failed();  // at least those
  r.failures_not_shown = r.failed - r.failures.size();
  r.dropped = failures_.dropped();
  if (is_stopping())
    for (const auto& s : stages_)
      if (s->own_region) r.dropped += s->own_region->kept();
  const auto ran = invocations();
  r.sent = sent_.load();  // last: while the network runs, nothing may be counted that was not yet sent
  for (const auto& c : components_) {
    component_report x;
    const share& has = in_force_.components[c->index];
    x.name = c->spec->name;
    x.cores = has.cores.size();
    x.width = c->is_blocking()    ? c->spec->max_width
              : has.cores.empty() ? std::min(shared_->seat_count(), c->spec->max_width)
                                  : has.width;
    if (!has.cores.empty())
      x.place = "own cores {" + to_string(has.cores) + "}, " + std::to_string(has.width) +
                (has.width == 1 ? " lane" : " lanes");
    else if (c->is_blocking())
      x.place = "outside the cores, " + std::to_string(c->spec->max_width) + " at once";
    else if (c->is_short.load())
      x.place = "inline";
    else
      x.place = "shared group {" + to_string(in_force_.shared) + "}" +
                (in_force_.shared_host() >= 0
                     ? " on a core of " + components_[static_cast<std::size_t>(in_force_.shared_host())]->spec->name
                     : "");
    x.invocations = ran[c->index];
    const learner& learnt = *c->learnt;
    x.observations = learnt.observed();
    x.total_seconds = learnt.observed_seconds();
    x.mean_seconds = learnt.observed() > 0 ? learnt.observed_seconds() / static_cast<double>(learnt.observed())
                                           : std::numeric_limits<double>::quiet_NaN();
    x.utilisation = has.cores.empty() || r.seconds <= 0 ? std::numeric_limits<double>::quiet_NaN()
                                                        : learnt.busy_core_seconds() / (r.seconds * has.cores.size());
    x.model = learnt.model().describe();
    r.components.push_back(std::move(x));
    r.names.push_back(c->spec->name);
  }
  report_network(r);
  for (const box_stage* box : boxes_) r.components[box->component.index].failures += box->failed.load();
  report_streams(r);
  r.unfolded = unfolded_.load();
  r.removed = removed_.load();
  for (const auto& s : stages_) {
    if (const auto* sync = dynamic_cast<const sync_stage*>(s.get())) r.held += sync->held();
    if (const auto* exit = dynamic_cast<const order_exit_stage*>(s.get()))
      r.dropped += is_stopping() ? exit->waiting() : 0;
  }
  if (finished_.load() && outermost_) list_held(*outermost_, r.held_at);
  for (int kind = 0; kind < failure_kinds; ++kind)
    if (const auto count = failures_.failed(static_cast<failure_kind>(kind)))
      r.failed_by.emplace_back(to_string(static_cast<failure_kind>(kind)), count);
  r.decisions = controller_->decisions();
  {
    const lock_guard lock(state_mutex_);
    r.notes = notes_;
    r.hanging = hanging_;
    r.hung = hung_;
  }
  if (machine_->binding_refused().load())
    r.notes.push_back("the system refused to bind threads to cores: cores are granted by number only");
  return r;
}

}  // namespace weir::detail
