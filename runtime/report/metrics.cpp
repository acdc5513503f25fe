#include <weir/report/metrics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <weir/version.hpp>

#include "runtime/machine/float_state.hpp"
#include "runtime/report/largest.hpp"

namespace weir {
namespace {

constexpr std::size_t components_of_a_run = 200, streams_of_a_run = 200;

// Valid UTF-8 without control characters other than the end of a line.
std::string plain(std::string_view text) {
  using nlohmann::json;
  std::string valid = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
  std::string out;
  for (const char c : valid) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n') || code == 0x7f)
      out += "\xef\xbf\xbd";
    else
      out += c;
  }
  return out;
}

// The name, or where that is taken already the name with a number.
std::string unique(std::string name, std::set<std::string>& taken) {
  std::string tried = name;
  for (int i = 2; !taken.insert(tried).second; ++i) tried = fmt::format("{} ({})", name, i);
  return tried;
}

std::string label(std::string_view name, std::string_view value) {
  std::string out(name);
  out += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

double part_on_device(const run_report& r, const device_report& on) {
  for (const component_report& c : r.components)
    if (c.name == on.component && c.invocations > 0)
      return static_cast<double>(on.records) / static_cast<double>(c.invocations);
  return std::numeric_limits<double>::quiet_NaN();
}

// Families in the order in which they are first named, each with all its samples.
class exposition {
 public:
  enum kind { counter, gauge };

  void add(const char* name, kind k, const char* help, const std::string& labels, double value) {
    if (std::isnan(value)) return;
    std::string text = std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf") : fmt::format("{}", value);
    line(name, k, help, labels, text);
  }
  template <std::integral Number>
  void add(const char* name, kind k, const char* help, const std::string& labels, Number value) {
    line(name, k, help, labels, fmt::format("{}", value));
  }

  std::string text() const {
    std::string all;
    for (const std::string& f : families_) all += f;
    return all;
  }

 private:
  void line(const char* name, kind k, const char* help, const std::string& labels, std::string_view value) {
    const auto [at, is_new] = index_.try_emplace(name, families_.size());
    if (is_new)
      families_.push_back(
          fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, k == counter ? "counter" : "gauge"));
    families_[at->second] += fmt::format("{}{{{}}} {}\n", name, labels, value);
  }

  std::vector<std::string> families_;
  std::map<std::string_view, std::size_t> index_;
};

void put_records(exposition& to, const run_report& r, const std::string& run) {
  constexpr auto counter = exposition::counter, gauge = exposition::gauge;
  to.add("weir_records_sent_total", counter, "Records that were sent.", run, r.sent);
  to.add("weir_records_emitted_total", counter, "Records that initialisers emitted into the network.", run, r.emitted);
  to.add("weir_records_results_total", counter, "Records that came out.", run, r.results);
  to.add("weir_records_ended_total", counter, "Records that ended in sinks and folds.", run, r.records_ended);
  to.add("weir_records_failed_total", counter, "Records that an error ended.", run, r.failed);
  for (const auto& [kind, count] : r.failed_by)
    to.add("weir_failures_total", counter, "Failures by kind.", run + "," + label("kind", plain(kind)), count);
  to.add("weir_records_dropped_total", counter, "Records that were under way when the run was stopped.", run,
         r.dropped);
  to.add("weir_records_held", gauge, "Records that synchrocells hold.", run, r.held);
}

void put_in_flight(exposition& to, const in_flight_report& in, const std::string& run) {
  constexpr auto gauge = exposition::gauge;
  if (!in.counts_records()) return;
  to.add("weir_records_in_flight", gauge, "Records that entered and whose consequences have not all left.", run,
         in.records);
  to.add("weir_records_in_flight_peak", gauge, "The most records that were in flight at a time.", run, in.peak);
  if (in.limit > 0)
    to.add("weir_records_in_flight_limit", gauge, "Records that may be in flight at a time, option max_in_flight.", run,
           in.limit);
  if (in.counts_bytes()) {
    to.add("weir_bytes_in_flight", gauge, "Bytes of the records in flight.", run, in.bytes);
    to.add("weir_bytes_in_flight_peak", gauge, "The most bytes that were in flight at a time.", run, in.bytes_peak);
    to.add("weir_bytes_in_flight_limit", gauge, "Bytes that may be in flight at a time, option max_bytes_in_flight.",
           run, in.bytes_limit);
  }
}

void put_devices(exposition& to, const run_report& r, const std::string& run) {
  constexpr auto counter = exposition::counter, gauge = exposition::gauge;
  for (const device_report& d : r.devices) {
    const std::string labels =
        run + "," + label("component", plain(d.component)) + "," + label("device", plain(d.device));
    to.add("weir_device_invocations_total", counter, "Invocations on the device.", labels, d.invocations);
    to.add("weir_device_errors_total", counter, "Of these, those that threw; their records went on to cores.", labels,
           d.errors);
    to.add("weir_device_busy_seconds_total", counter, "Time of these invocations, together.", labels, d.total_seconds);
    to.add("weir_device_slots", gauge, "Slots of the device.", labels, d.slots);
    to.add("weir_device_slots_peak", gauge, "The most slots that were in use at a time, by any component.", labels,
           d.peak);
    to.add("weir_device_part", gauge, "Part of the component's records that the device did; NaN: there was none.",
           labels, part_on_device(r, d));
    to.add("weir_device_crossing", gauge, "Predictor value from which the device is faster; NaN: unknown.", labels,
           d.crossing);
  }
}

void put_resources(exposition& to, const run_report& r, const std::string& run) {
  constexpr auto gauge = exposition::gauge;
  for (const resource_report& one : r.resources) {
    const std::string labels = run + "," + label("resource", plain(one.name));
    to.add("weir_resource_in_use", gauge, "Amount of the resource that invocations have.", labels, one.in_use);
    to.add("weir_resource_peak", gauge, "The largest amount that was in use at a time.", labels, one.peak);
    to.add("weir_resource_total", gauge, "Amount of the resource that there is.", labels, one.total);
  }
}

void put_network(exposition& to, const network_report& n, const std::string& run) {
  constexpr auto counter = exposition::counter, gauge = exposition::gauge;
  to.add("weir_arrival_records_per_second", gauge, "Records a second that entered, over the whole run.", run,
         n.arrival_rate);
  to.add("weir_predicted_throughput_records_per_second", gauge,
         "Records a second that could enter at most, by the models.", run, n.predicted_throughput);
  to.add("weir_predicted_group_utilisation_ratio", gauge,
         "Part of its time that the shared group works, by the models, at the run's arrival rate.", run,
         n.predicted_group_utilisation);
  to.add("weir_predicted_latency_seconds", gauge,
         "Time from a record's entry until all that it causes has left, by the models.", run, n.predicted_latency);
  to.add("weir_records_followed_total", counter, "Records whose latency was measured.", run, n.followed);
  to.add("weir_latency_mean_seconds", gauge, "Mean latency of the records that were followed.", run, n.latency_mean);
  to.add("weir_latency_p50_seconds", gauge, "Median latency of the last 1024 records that were followed.", run,
         n.latency_p50);
  to.add("weir_latency_p99_seconds", gauge,
         "99th percentile of the latency of the last 1024 records that were followed.", run, n.latency_p99);
}

void put_run(exposition& to, const run_report& r, const std::string& run) {
  constexpr auto counter = exposition::counter, gauge = exposition::gauge;
  to.add("weir_run_info", gauge, "1, with what the run runs by and on.",
         fmt::format("{},{},{},{}", run, label("policy", plain(r.policy)), label("machine", plain(r.machine)),
                     label("version", plain(linked_version()))),
         1);
  to.add("weir_run_active", gauge, "1 until the run has drained or was stopped, then 0.", run, r.ended ? 0 : 1);
  to.add("weir_run_seconds", gauge, "Time since the start of the run; it stands still when the run has ended.", run,
         r.seconds);
  to.add("weir_run_cores", gauge, "Cores of the run's machine.", run, r.cores);
  to.add("weir_foreign_load", gauge,
         "Share of the machine's cores that other processes and the hypervisor had during the run, 0 to 1.", run,
         r.foreign_load);
  put_records(to, r, run);
  put_in_flight(to, r.in_flight, run);
  put_devices(to, r, run);
  put_resources(to, r, run);
  to.add("weir_invocations_hung_total", counter, "Invocations that were found to hang.", run, r.hung);
  to.add("weir_invocations_hanging", gauge, "Invocations that were hanging at the watchdog's last check.", run,
         r.hanging.size());
  if (r.goal) {
    to.add("weir_goal_seconds_total", counter, "Time for which it is known whether the objective's goal was met.", run,
           r.goal->seconds);
    to.add("weir_goal_met_seconds_total", counter, "Of this, the time in which it was met.", run, r.goal->seconds_met);
  }
  put_network(to, r.network, run);
  to.add("weir_decisions_total", counter, "Allotments that the policy decided on, the first included.", run,
         r.decisions.size() + r.decisions_not_shown);
  to.add("weir_decisions_reverted_total", counter, "Decisions that a later one took back.", run,
         static_cast<std::uint64_t>(
             std::count_if(r.decisions.begin(), r.decisions.end(), [](const decision& d) { return d.reverted; })) +
             r.reverted_not_shown);
}

void put_component(exposition& to, const component_report& c, const std::string& labels) {
  constexpr auto counter = exposition::counter, gauge = exposition::gauge;
  to.add("weir_component_invocations_total", counter, "Invocations of the component.", labels, c.invocations);
  to.add("weir_component_failures_total", counter, "Invocations that failed.", labels, c.failures);
  to.add("weir_component_timed_invocations_total", counter, "Invocations that were timed.", labels, c.observations);
  to.add("weir_component_busy_seconds_total", counter, "Time that the timed invocations took.", labels,
         c.total_seconds);
  to.add("weir_component_cores", gauge, "Cores of its own; 0: it runs in the shared group or inline.", labels, c.cores);
  to.add("weir_component_lanes", gauge, "Invocations that may run at the same time.", labels, c.width);
  to.add("weir_component_busy_ratio", gauge, "Part of the run's time in which its lanes computed.", labels, c.busy);
  to.add("weir_component_held_up_ratio", gauge, "Part of the run's time in which a stream behind it was full.", labels,
         c.held_up);
  to.add("weir_component_utilisation_ratio", gauge,
         "Timed seconds times cores over the run's seconds times its own cores.", labels, c.utilisation);
  to.add("weir_component_predicted_utilisation_ratio", gauge,
         "The same by the models, at the run's arrival rate; in the shared group of its own lanes there.", labels,
         c.predicted_utilisation);
  to.add("weir_component_mean_seconds", gauge, "Mean time of its timed invocations.", labels, c.mean_seconds);
  to.add("weir_component_predicted_seconds", gauge, "Time for each record that enters, by the models.", labels,
         c.predicted_seconds);
  if (c.resource_waits > 0) {
    to.add("weir_component_resource_waits_total", counter, "Invocations that waited for resources.", labels,
           c.resource_waits);
    to.add("weir_component_resource_wait_seconds_total", counter, "Time that they waited, together.", labels,
           c.resource_wait_seconds);
  }
  to.add("weir_component_own_threads", gauge,
         "Threads that its invocations computed on besides those of its lanes; 0: no more than granted.", labels,
         c.own_threads);
  to.add("weir_component_cores_beyond_grant", gauge,
         "Cores that all its threads wanted beyond the grant, the most between two looks.", labels,
         c.cores_beyond_grant);
  if (c.most_together > 1)
    to.add("weir_component_records_together", gauge, "Records of an invocation, on average.", labels,
           c.records_together);
  if (std::isnan(c.process_overhead)) return;
  to.add("weir_component_process_overhead_seconds", gauge,
         "Mean time for the start of a process and values on their way.", labels, c.process_overhead);
  to.add("weir_component_process_peak_bytes", gauge, "Largest resident memory of a process; 0: unknown.", labels,
         c.process_peak_bytes);
}

// The streams that join the same components as one.
struct joined_streams {
  std::uint64_t records = 0;
  double occupancy = 0, peak = 0, capacity = 0, blocked_seconds = 0, bytes = 0;
};

void put_stream(exposition& to, const joined_streams& s, const std::string& labels) {
  constexpr auto counter = exposition::counter, gauge = exposition::gauge;
  to.add("weir_stream_records_total", counter, "Records that went through the stream.", labels, s.records);
  to.add("weir_stream_waiting_records", gauge, "Records that waited in it, the mean over the run's time.", labels,
         s.occupancy);
  to.add("weir_stream_peak_records", gauge, "Most records that waited in it at a time.", labels, s.peak);
  to.add("weir_stream_capacity_records", gauge, "Records that it has room for; +Inf: without bound.", labels,
         s.capacity);
  to.add("weir_stream_blocked_seconds_total", counter, "Time in which it was full and a writer waited for room.",
         labels, s.blocked_seconds);
  to.add("weir_stream_bytes_total", counter, "Bytes of the records that came, by option record_bytes.", labels,
         s.bytes);
}

void put_components(exposition& to, const run_report& r, const std::string& run) {
  std::set<std::string> names;
  const auto shown =
      largest(r.components, components_of_a_run, [](const component_report& c) { return c.total_seconds; });
  for (const std::size_t i : shown)
    put_component(to, r.components[i], run + "," + label("component", unique(plain(r.components[i].name), names)));
  to.add("weir_components_left_out", exposition::gauge, "Components that have no samples, since others had more time.",
         run, r.components.size() - shown.size());
}

void put_streams(exposition& to, const run_report& r, const std::string& run) {
  std::vector<std::pair<std::string, joined_streams>> joined;
  std::map<std::string, std::size_t> index;
  for (const stream_report& s : r.streams) {
    const std::string ends = label("from", plain(s.from)) + "," + label("to", plain(s.to));
    const auto [at, is_new] = index.try_emplace(ends, joined.size());
    if (is_new) joined.push_back({ends, {}});
    joined_streams& all = joined[at->second].second;
    all.records += s.records;
    all.occupancy += s.occupancy;
    all.peak += static_cast<double>(s.peak);
    all.capacity += s.capacity ? static_cast<double>(s.capacity) : std::numeric_limits<double>::infinity();
    all.blocked_seconds += s.blocked_seconds;
    all.bytes += s.bytes;
  }
  const auto shown = largest(joined, streams_of_a_run, [](const auto& s) { return s.second.records; });
  for (const std::size_t i : shown) put_stream(to, joined[i].second, run + "," + joined[i].first);
  to.add("weir_streams_left_out", exposition::gauge, "Streams that have no samples, since others had more records.",
         run, joined.size() - shown.size());
}

void put_all(exposition& to, const run_report& r, const std::string& name) {
  const std::string run = label("run", name);
  put_run(to, r, run);
  put_components(to, r, run);
  put_streams(to, r, run);
}

}  // namespace

std::string metrics_text(const std::vector<named_run>& runs) {
  const detail::standard_floats own;
  exposition to;
  std::set<std::string> names;
  for (const named_run& r : runs) put_all(to, r.report, unique(plain(r.name), names));
  return to.text();
}

std::string metrics_text(const run_report& run, const std::string& name) {
  const detail::standard_floats own;
  exposition to;
  put_all(to, run, plain(name));
  return to.text();
}

}  // namespace weir
