#include "runtime/ranks/rank_report.hpp"

#include <algorithm>
#include <cmath>

#include <weir/record/codecs.hpp>
#include <weir/record/wire.hpp>

namespace weir::detail {

namespace {

// Calls f with each number and text of a report that travels.
template <class Report, class F>
void each(Report& r, F f) {
  f(r.machine), f(r.cores), f(r.ended), f(r.seconds);
  f(r.dropped), f(r.held), f(r.unfinished), f(r.unfolded), f(r.removed), f(r.hung), f(r.notes), f(r.waits_for);
  f(r.emitted), f(r.records_ended), f(r.away);
}
template <class Component, class F>
void each_of(Component& c, F f) {
  f(c.name), f(c.place), f(c.cores), f(c.width), f(c.invocations), f(c.failures), f(c.observations);
  f(c.mean_seconds), f(c.mean_cores), f(c.total_seconds), f(c.visits), f(c.observed_visits), f(c.predicted_seconds);
  f(c.predicted_utilisation), f(c.utilisation), f(c.own_threads), f(c.cores_beyond_grant), f(c.busy), f(c.held_up);
  f(c.process_peak_bytes), f(c.process_overhead), f(c.resource_waits), f(c.resource_wait_seconds);
  f(c.records_together), f(c.most_together);
  auto& m = c.model;
  f(m.estimator), f(m.alpha), f(m.alpha_known), f(m.coefficients), f(m.powers), f(m.serial), f(m.contention),
      f(m.fork_join), f(m.scatter), f(m.p99), f(m.uses), f(m.use_names), f(m.explained);
  f(m.observations), f(m.smallest_cores), f(m.largest_cores), f(m.smallest_x), f(m.largest_x), f(m.words);
  f(c.learnt.estimator), f(c.learnt.degree), f(c.learnt.state), f(c.learnt.machine);
}
template <class Stream, class F>
void each_of_stream(Stream& s, F f) {
  f(s.from), f(s.to), f(s.records), f(s.capacity), f(s.peak), f(s.predicted), f(s.occupancy), f(s.blocked_seconds);
  f(s.bytes);
}

// The mean over two groups of values, by the mean and the weight of each: the number of values, or their sum of
// weights. The second has values; of an empty first one the mean is not used.
template <class Weight>
double joint_mean(Weight first, double mean, Weight second, double mean_of_second) {
  const auto before = static_cast<double>(first), behind = static_cast<double>(second);
  return ((first > 0 ? before * mean : 0) + behind * mean_of_second) / (before + behind);
}

}  // namespace

std::string text_of(const run_report& r) {
  wire_writer to;
  const auto put = [&](const auto& v) { to.put_whole(v); };
  each(r, put);
  to.count(r.components.size());
  for (const component_report& c : r.components) each_of(c, put);
  to.count(r.streams.size());
  for (const stream_report& s : r.streams) each_of_stream(s, put);
  to.count(r.held_at.size());
  for (const held_report& h : r.held_at) put(h.path), put(h.records);
  return {reinterpret_cast<const char*>(to.head().data()), to.head().size()};
}

run_report report_of_text(const std::string& text) {
  wire_reader from(std::as_bytes(std::span(text)));
  const auto get = [&](auto& v) { v = from.get_whole<std::remove_reference_t<decltype(v)>>(); };
  run_report r;
  each(r, get);
  for (std::size_t left = from.count(); left > 0; --left) each_of(r.components.emplace_back(), get);
  for (std::size_t left = from.count(); left > 0; --left) each_of_stream(r.streams.emplace_back(), get);
  for (std::size_t left = from.count(); left > 0; --left) {
    held_report& h = r.held_at.emplace_back();
    get(h.path), get(h.records);
  }
  return r;
}

rank_report rank_of(int rank, const run_report& of, const remote::link_cost& link) {
  rank_report r;
  r.rank = rank;
  r.machine = of.machine;
  r.cores = of.cores;
  r.latency = link.latency;
  r.record_seconds = link.record_seconds;
  r.bytes_per_second = link.bytes_per_second;
  for (const component_report& c : of.components)
    if (c.invocations > 0 || c.cores > 0)
      r.components.push_back({c.name, c.place, c.cores, c.width, c.invocations, c.total_seconds, c.busy});
  return r;
}

void clear_record_counts(run_report& r) {
  r.dropped = r.held = r.emitted = r.records_ended = 0;
  r.away = 0;
}

void add_rank(run_report& to, int rank, const run_report& of) {
  const std::string where = "rank " + std::to_string(rank) + ": ";
  to.machine += "; " + where + of.machine;
  to.cores += of.cores;
  to.dropped += of.dropped;
  to.held += of.held;
  to.unfinished += of.unfinished;
  to.emitted += of.emitted;
  to.records_ended += of.records_ended;
  to.away += of.away;
  to.unfolded += of.unfolded;
  to.removed += of.removed;
  to.hung += of.hung;
  for (const std::string& note : of.notes) to.notes.push_back(where + note);
  if (!to.waits_for.empty())  // else rank 0 makes progress, and waits for none
    for (const std::string& one : of.waits_for) to.waits_for.push_back(where + one);
  for (const held_report& h : of.held_at) to.held_at.push_back({where + h.path, h.records});
  for (const component_report& c : of.components) {
    const auto same = std::find_if(to.components.begin(), to.components.end(),
                                   [&](const component_report& x) { return x.name == c.name; });
    if (same == to.components.end()) {
      to.components.push_back(c);
      to.components.back().place = where + c.place;
      to.names.push_back(c.name);
      continue;
    }
    component_report& x = *same;
    if (c.model.observations > x.model.observations) x.model = c.model, x.learnt = c.learnt, x.recent = c.recent;
    x.place += "; " + where + c.place;
    x.cores += c.cores;
    x.width += c.width;
    if (c.invocations > 0)
      x.records_together = joint_mean(x.invocations, x.records_together, c.invocations, c.records_together);
    x.invocations += c.invocations;
    x.failures += c.failures;
    if (c.observations > 0) x.mean_seconds = joint_mean(x.observations, x.mean_seconds, c.observations, c.mean_seconds);
    if (c.total_seconds > 0) x.mean_cores = joint_mean(x.total_seconds, x.mean_cores, c.total_seconds, c.mean_cores);
    x.observations += c.observations;
    x.total_seconds += c.total_seconds;
    x.busy = std::fmax(x.busy, c.busy);
    x.held_up = std::fmax(x.held_up, c.held_up);
    x.own_threads = std::max(x.own_threads, c.own_threads);
    x.process_peak_bytes = std::max(x.process_peak_bytes, c.process_peak_bytes);
    x.process_overhead = std::fmax(x.process_overhead, c.process_overhead);
    x.most_together = std::max(x.most_together, c.most_together);
    x.resource_waits += c.resource_waits;
    x.resource_wait_seconds += c.resource_wait_seconds;
    x.cores_beyond_grant = std::fmax(x.cores_beyond_grant, c.cores_beyond_grant);
  }
  for (stream_report s : of.streams) {
    s.from = where + s.from;
    to.streams.push_back(std::move(s));
  }
}

}  // namespace weir::detail
