#include <weir/report/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include <weir/report/report_page.hpp>
#include "runtime/machine/float_state.hpp"
#include "runtime/record/cut_text.hpp"
#include "runtime/report/report_json.hpp"

namespace weir {
namespace {

std::string duration(double seconds) {
  if (std::isnan(seconds)) return "-";
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string rate(double per_second) {
  return std::isfinite(per_second) ? fmt::format("{:.4g} records/s", per_second) : "-";
}

std::string per_record(double visits) { return std::isnan(visits) ? "-" : fmt::format("{:.4g} a record", visits); }

// A name that the user chose.
std::string in_a_line(const std::string& name) { return detail::visible_text(name, false); }

std::string percent(double part) { return std::isnan(part) ? "-" : fmt::format("{:.0f} %", 100 * part); }

// Whether the demand of the objective was met, and by how much it was missed.
std::string goal_text(const goal_report& g, double p99_now) {
  if (!(g.seconds > 0)) return fmt::format("goal {}: not judged yet\n", g.words);
  std::string text = fmt::format("goal {}: met in {:.4g} of {:.4g} s", g.words, g.seconds_met, g.seconds);
  if (g.seconds_late > 0)
    text += fmt::format("; {:.3g} s missed the p99 ({} for the last records)", g.seconds_late, duration(p99_now));
  // Sums of the same rows in another order: a remainder of a millionth is rounding.
  if (const double by_rate = g.seconds - g.seconds_met - g.seconds_late; by_rate > 1e-6 * g.seconds)
    text += fmt::format("; {:.3g} s missed the rate, while senders waited", by_rate);
  return text + "\n";
}

// The totals in one line, and in another whether the demand of the objective was met.
std::string totals_text(const run_report& r) {
  std::string text = fmt::format("{} records in, {} out, ", r.sent + r.emitted, r.results);
  if (r.records_ended > 0) text += fmt::format("{} ended in sinks and folds, ", r.records_ended);
  text += fmt::format("{} failed, {} dropped in {} on {}, policy {}\n", r.failed, r.dropped, duration(r.seconds),
                      r.machine, r.policy);
  return r.goal ? text + goal_text(*r.goal, r.network.latency_p99) : text;
}

std::string predicted_beside_observed(const run_report& r) {
  std::vector<std::array<std::string, 3>> rows{
      {"network", "predicted", "observed"},
      {"throughput", rate(r.network.predicted_throughput), rate(r.network.arrival_rate)},
      {"latency", duration(r.network.predicted_latency), duration(r.network.latency_mean)}};
  if (!std::isnan(r.network.predicted_group_utilisation))
    rows.push_back({"shared group busy", percent(r.network.predicted_group_utilisation), "-"});
  for (const component_report& c : r.components) {
    rows.push_back({in_a_line(c.name) + " busy", percent(c.predicted_utilisation), percent(c.utilisation)});
    rows.push_back({in_a_line(c.name) + " visits", per_record(c.visits), per_record(c.observed_visits)});
  }
  for (const stream_report& s : r.streams)
    if (s.predicted > 0)
      rows.push_back({in_a_line(s.from) + " -> " + in_a_line(s.to),
                      fmt::format("{} place{}", s.predicted, s.predicted == 1 ? "" : "s"),
                      fmt::format("{} at most", s.peak)});
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row[0].size());
  std::string text;
  for (const auto& [what, predicted, observed] : rows)
    text += fmt::format("{:<{}}  {:>17}  {:>17}\n", what, width, predicted, observed);
  return text;
}

// Unknown columns are left out: bytes without a size function, and everything watched when it is not.
std::string streams_text(const run_report& r) {
  const bool with_bytes =
      std::any_of(r.streams.begin(), r.streams.end(), [](const stream_report& s) { return !std::isnan(s.bytes); });
  std::string text = fmt::format("\nstreams (records, capacity, most waiting{}{})\n",
                                 r.monitored ? ", on the average, blocked writers" : "; not watched, option monitor",
                                 with_bytes ? ", bytes" : "");
  for (const stream_report& s : r.streams) {
    text += fmt::format("  {} -> {}: {}, {}, {}", in_a_line(s.from), in_a_line(s.to), s.records,
                        s.capacity ? fmt::format("{}", s.capacity) : "unbounded", s.peak);
    if (r.monitored)
      text += fmt::format(", {}, {}", std::isnan(s.occupancy) ? "-" : fmt::format("{:.3g}", s.occupancy),
                          duration(s.blocked_seconds));
    if (with_bytes) text += ", " + (std::isnan(s.bytes) ? "-" : fmt::format("{:.4g}", s.bytes));
    text += '\n';
  }
  return text;
}

// Components that compute on more threads than they were granted, a line each.
std::string own_threads_text(const run_report& r) {
  std::string text;
  for (const component_report& c : r.components)
    if (c.own_threads > 0)
      text += fmt::format("  {} computes on threads of its own, {} at once, which want {:.1f} cores beyond its grant\n",
                          in_a_line(c.name), c.own_threads, c.cores_beyond_grant);
  return text;
}

// Components whose work processes do, a line each.
std::string processes_text(const run_report& r) {
  std::string text;
  for (const component_report& c : r.components)
    if (!std::isnan(c.process_overhead))
      text += fmt::format("  {}: start and hand-over {} a process{}\n", in_a_line(c.name), duration(c.process_overhead),
                          c.process_peak_bytes == 0
                              ? ""
                              : fmt::format(", at most {:.1f} MB", static_cast<double>(c.process_peak_bytes) / 1e6));
  return text;
}

// Resources, and the components that waited for them, a line each.
std::string resources_text(const run_report& r) {
  std::string text;
  for (const resource_report& one : r.resources)
    text +=
        fmt::format("  {}: at most {} of {} in use; {} now\n", in_a_line(one.name), one.peak, one.total, one.in_use);
  for (const component_report& c : r.components)
    if (c.resource_waits > 0)
      text += fmt::format("  {}: {} invocations waited, {} in all\n", in_a_line(c.name), c.resource_waits,
                          duration(c.resource_wait_seconds));
  return text;
}

// Components whose invocations take several records, a line each.
std::string batches_text(const run_report& r) {
  std::string text;
  for (const component_report& c : r.components)
    if (c.most_together > 1)
      text += fmt::format("  {}: {:.3g} records an invocation, at most {}\n", in_a_line(c.name), c.records_together,
                          c.most_together);
  return text;
}

// Boxes that run on devices, a line each.
std::string devices_text(const run_report& r) {
  std::string text;
  for (const device_report& d : r.devices) {
    text += fmt::format("  {} on {}: {} invocations, mean {} a record, at most {} of {} slots", in_a_line(d.component),
                        in_a_line(d.device), d.invocations, duration(d.mean_seconds), d.peak, d.slots);
    if (d.records > d.invocations - d.errors)
      text += fmt::format(", {:.3g} records an invocation (best {}, {} on cores)",
                          static_cast<double>(d.records) / static_cast<double>(d.invocations - d.errors),
                          d.size_on_device, d.size_on_cores);
    if (!std::isnan(d.crossing)) text += fmt::format(", faster from x = {:.4g} on", d.crossing);
    if (d.errors > 0) text += fmt::format(", {} went on to cores after an error", d.errors);
    if (d.left_alone > 0) text += fmt::format(", left alone for {}", duration(d.left_alone));
    text += '\n';
  }
  return text;
}

// The ranks of a run on several, and what runs on each.
std::string ranks_text(const run_report& r) {
  std::string text;
  for (const rank_report& one : r.ranks) {
    text += fmt::format("  rank {}: {}", one.rank, one.machine.empty() ? "has told nothing" : one.machine);
    if (!std::isnan(one.latency))
      text += fmt::format(", {} away, {:.3g} GB/s", duration(one.latency), one.bytes_per_second / 1e9);
    text += '\n';
    for (const rank_report::part& p : one.components)
      text += fmt::format("    {}: {}, {} invocations\n", in_a_line(p.component), p.place, p.invocations);
  }
  return text;
}

// "in flight: at most 64 records, option max_in_flight 64; 3 now".
std::string in_flight_text(const in_flight_report& r) {
  const auto one = [](std::uint64_t peak, const char* what, const char* option, std::uint64_t limit,
                      std::uint64_t now) {
    return fmt::format("at most {} {}{}; {} now", peak, what, limit ? fmt::format(", option {} {}", option, limit) : "",
                       now);
  };
  return "in flight: " + one(r.peak, "records", "max_in_flight", r.limit, r.records) +
         (r.counts_bytes() ? "; " + one(r.bytes_peak, "bytes", "max_bytes_in_flight", r.bytes_limit, r.bytes) : "") +
         "\n";
}

std::string foreign_load_text(const run_report& r) {
  return fmt::format("other processes had {} of the cores: times of invocations, and ratios between runs, mislead\n",
                     percent(r.foreign_load));
}

std::string unfinished_text(const run_report& r) {
  return fmt::format("folds that did not finish: {} state{}\n", r.unfinished, r.unfinished == 1 ? "" : "s");
}

// How many records, and where as far as known: "3 records: 2 at :S2:R1, 1 at :S2:R4". Only a few places, since it is
// one line.
std::string held_text(const run_report& r) {
  constexpr std::size_t few = 8;
  std::string text = fmt::format("{} record{}", r.held, r.held == 1 ? "" : "s");
  std::uint64_t named = 0;
  for (std::size_t i = 0; i < std::min(few, r.held_at.size()); ++i) {
    text += fmt::format("{}{} at {}", i == 0 ? ": " : ", ", r.held_at[i].records, r.held_at[i].path);
    named += r.held_at[i].records;
  }
  return named == 0 || named >= r.held ? text : text + fmt::format(", {} elsewhere", r.held - named);
}

}  // namespace

std::string run_report::brief() const {
  const detail::standard_floats own;
  std::string text = totals_text(*this);
  for (const component_report& c : components)
    text += fmt::format("  {}: {}, {} invocations, mean {}\n", in_a_line(c.name), c.place, c.invocations,
                        duration(c.mean_seconds));
  if (in_flight.counts_records()) text += "  " + in_flight_text(in_flight);
  text += resources_text(*this) + devices_text(*this);
  text += batches_text(*this);
  if (held > 0) text += "  held in synchrocells: " + held_text(*this) + "\n";
  text += own_threads_text(*this);
  if (unfinished > 0) text += "  " + unfinished_text(*this);
  if (has_foreign_load()) text += "  " + foreign_load_text(*this);
  for (const hang& h : hanging) text += "  " + to_string(h) + "\n";
  for (const std::string& w : waits_for) text += "  no progress: " + w + "\n";
  return detail::visible_text(text, true);
}

std::string run_report::full() const {
  const detail::standard_floats own;
  std::string text = totals_text(*this) + '\n';
  std::size_t name_width = 9, place_width = 5;
  for (const component_report& c : components) {
    name_width = std::max(name_width, in_a_line(c.name).size());
    place_width = std::max(place_width, c.place.size());
  }
  text += fmt::format("{:<{}}  {:<{}}  {:>11}  {:>8}  {:>10}  {:>11}\n", "component", name_width, "place", place_width,
                      "invocations", "observed", "mean", "utilisation");
  for (const component_report& c : components)
    text += fmt::format("{:<{}}  {:<{}}  {:>11}  {:>8}  {:>10}  {:>11}\n", in_a_line(c.name), name_width, c.place,
                        place_width, c.invocations, c.observations, duration(c.mean_seconds), percent(c.utilisation));
  if (const std::string threads = own_threads_text(*this); !threads.empty())
    text += "\nthreads that boxes started\n" + threads;
  if (const std::string processes = processes_text(*this); !processes.empty()) text += "\nprocesses\n" + processes;
  if (!resources.empty()) text += "\nresources\n" + resources_text(*this);
  if (const std::string batches = batches_text(*this); !batches.empty()) text += "\nbatches\n" + batches;
  if (!devices.empty()) text += "\ndevices\n" + devices_text(*this);
  if (has_foreign_load()) text += '\n' + foreign_load_text(*this);
  text += '\n' + predicted_beside_observed(*this);
  if (!network.bottleneck.empty())
    text += fmt::format("bottleneck by the models: {}{}\n",
                        network.bottleneck_is_shared ? "shared group, most of it " : "", in_a_line(network.bottleneck));
  text += "\nlinks (records for each that enters)\n";
  for (const link_report& l : links)
    text += fmt::format("  {} -> {}: {:.3g}\n", in_a_line(l.from), in_a_line(l.to), l.records);
  text += "\nmodels\n";
  for (const component_report& c : components) text += fmt::format("  {}: {}\n", in_a_line(c.name), c.model.words);
  text += streams_text(*this);
  if (in_flight.counts_records()) text += "\n" + in_flight_text(in_flight);
  if (!ranks.empty()) text += "\nranks\n" + ranks_text(*this);
  std::vector<std::string> shown = names;
  for (std::string& name : shown) name = in_a_line(name);
  text += "\ndecisions\n";
  for (const decision& d : decisions) {
    text += fmt::format("  {:>10}  {}\n              {}\n", duration(d.time), to_string(d.to, shown), d.why);
    if (!d.from.components.empty()) {
      const std::string predicted = predicted_words(d), realised = realised_words(d);
      text += fmt::format("              predicted {}; realised {}{}\n", predicted.empty() ? "no gain" : predicted,
                          realised.empty() ? "not measured yet" : realised, d.reverted ? "; taken back" : "");
    }
  }
  if (unfolded > 0) text += fmt::format("\nunfolded: {} stages and branches, {} removed\n", unfolded, removed);
  if (held > 0) text += fmt::format("\nheld in synchrocells: {} records\n", held);
  for (const held_report& h : held_at) text += fmt::format("  {}: {}\n", h.path, h.records);
  if (unfinished > 0) text += "\n" + unfinished_text(*this);
  if (!failed_by.empty()) text += "\nerrors by kind\n";
  for (const auto& [kind, count] : failed_by) text += fmt::format("  {}: {}\n", kind, count);
  if (!failures.empty())
    text += failures_not_shown == 0
                ? "\nfailures\n"
                : fmt::format("\nfailures (the newest; {} more are not shown)\n", failures_not_shown);
  for (const failure& f : failures) text += "  " + to_string(f) + "\n";
  if (hung > 0) text += fmt::format("\ninvocations found hanging: {}, of which still run\n", hung);
  for (const hang& h : hanging) text += "  " + to_string(h) + "\n";
  if (!waits_for.empty()) text += "\nno progress\n";
  for (const std::string& w : waits_for) text += "  " + w + "\n";
  if (!notes.empty()) text += "\nwhat the machine did not allow, and other notes\n";
  for (const std::string& n : notes) text += "  " + n + "\n";
  return detail::visible_text(text, true);
}

std::string run_report::json(report_part part) const { return detail::json_of(*this, part); }

std::string run_report::html(const std::string& title) const {
  if (!has_page()) return plain_page(page_title(title), full());
  return runs_page(page_title(title), {{policy, json()}});
}

std::ostream& operator<<(std::ostream& to, const run_report& r) { return to << r.full(); }

}  // namespace weir
