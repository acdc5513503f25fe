#include "runtime/report/report_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <weir/version.hpp>

#include "runtime/machine/float_state.hpp"
#include "runtime/report/cost_curves.hpp"
#include "runtime/report/largest.hpp"

namespace weir::detail {
namespace {

using json = nlohmann::ordered_json;

// Rows and decisions of an update: enough for a viewer that misses a few updates.
constexpr std::size_t rows_of_an_update = 8, decisions_of_an_update = 8;
constexpr std::size_t components_of_an_update = 200, streams_of_an_update = 200;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json in_group(int group) { return group == network_graph::outermost ? json(nullptr) : json(group); }

// Components that are not named are in the shared group: of ten thousand, most are.
json allotment_json(const allotment& a, const std::vector<std::string>& names) {
  json owners = json::object(), outside = json::object();
  for (std::size_t i = 0; i < a.components.size(); ++i) {
    const share& has = a.components[i];
    if (has.outside)
      outside[names[i]] = has.width;
    else if (!has.cores.empty())
      owners[names[i]] = {{"cores", has.cores.size()}, {"width", has.width}, {"core_set", to_string(has.cores)}};
  }
  return {{"components", owners},
          {"outside", outside},
          {"shared", a.shared.size()},
          {"shared_core_set", to_string(a.shared)}};
}

json graph_json(const network_graph& g) {
  json j{{"nodes", json::array()}, {"groups", json::array()}, {"edges", json::array()}, {"left_out", g.left_out}};
  for (const auto& n : g.nodes)
    j["nodes"].push_back({{"kind", to_string(n.kind)},
                          {"label", n.label},
                          {"component", n.component.empty() ? json(nullptr) : json(n.component)},
                          {"group", in_group(n.group)}});
  for (const auto& f : g.groups)
    j["groups"].push_back({{"kind", to_string(f.kind)}, {"label", f.label}, {"group", in_group(f.parent)}});
  for (const auto& e : g.edges) j["edges"].push_back({{"from", e.from}, {"to", e.to}, {"back", e.back}});
  return j;
}

json history_json(const std::vector<history_row>& rows, std::size_t first) {
  json j;
  const auto column = [&](const char* name, auto value) {
    json& all = j[name] = json::array();
    for (std::size_t i = first; i < rows.size(); ++i) all.push_back(value(rows[i]));
  };
  column("time", [](const history_row& r) { return number(r.time); });
  column("seconds", [](const history_row& r) { return number(r.seconds); });
  column("sent", [](const history_row& r) { return r.sent; });
  column("results", [](const history_row& r) { return r.results; });
  column("failed", [](const history_row& r) { return r.failed; });
  column("predicted", [](const history_row& r) { return number(r.predicted); });
  column("latency_p50", [](const history_row& r) { return number(r.latency_p50); });
  column("latency_p99", [](const history_row& r) { return number(r.latency_p99); });
  column("waiting", [](const history_row& r) { return number(r.waiting); });
  column("emitted", [](const history_row& r) { return r.emitted; });
  column("ended", [](const history_row& r) { return r.ended; });
  column("goal_met",
         [](const history_row& r) { return number(r.met_seconds / r.judged_seconds); });  // null: not judged
  column("foreign", [](const history_row& r) { return number(r.foreign); });
  column("followed", [](const history_row& r) { return r.followed; });
  return j;
}

json goal_json(const std::optional<goal_report>& goal) {
  if (!goal) return nullptr;
  return {{"words", goal->words},
          {"latency_p99", number(goal->latency_p99)},
          {"rate", goal->rate > 0 ? json(goal->rate) : json(nullptr)},
          {"seconds", number(goal->seconds)},
          {"seconds_met", number(goal->seconds_met)},
          {"seconds_late", number(goal->seconds_late)}};
}

json words_or_null(const std::string& words) { return words.empty() ? json(nullptr) : json(words); }

json decision_json(const decision& d, const std::vector<std::string>& names) {
  return {{"time", number(d.time)},
          {"from", d.from.components.empty() ? json(nullptr) : allotment_json(d.from, names)},
          {"to", allotment_json(d.to, names)},
          {"why", d.why},
          {"predicted_gain", number(d.predicted_gain)},
          {"realised_gain", d.realised_gain ? number(*d.realised_gain) : json(nullptr)},
          {"gain_words",
           {{"predicted", words_or_null(predicted_words(d))}, {"realised", words_or_null(realised_words(d))}}},
          {"reverted", d.reverted}};
}

json rank_json(const rank_report& r) {
  json j{{"rank", r.rank},
         {"machine", r.machine},
         {"cores", r.cores},
         {"latency", number(r.latency)},
         {"record_seconds", number(r.record_seconds)},
         {"bytes_per_second", number(r.bytes_per_second)},
         {"components", json::array()}};
  for (const rank_report::part& p : r.components)
    j["components"].push_back({{"name", p.component},
                               {"place", p.place},
                               {"cores", p.cores},
                               {"width", p.width},
                               {"invocations", p.invocations},
                               {"total_seconds", number(p.total_seconds)},
                               {"busy", number(p.busy)}});
  return j;
}

json component_json(const component_report& c) {
  return {{"name", c.name},
          {"place", c.place},
          {"cores", c.cores},
          {"width", c.width},
          {"invocations", c.invocations},
          {"failures", c.failures},
          {"observations", c.observations},
          {"own_threads", c.own_threads},
          {"cores_beyond_grant", number(c.cores_beyond_grant)},
          {"process_peak_bytes", c.process_peak_bytes},
          {"process_overhead", number(c.process_overhead)},
          {"resource_waits", c.resource_waits},
          {"resource_wait_seconds", number(c.resource_wait_seconds)},
          {"records_together", number(c.records_together)},
          {"most_together", c.most_together},
          {"mean_seconds", number(c.mean_seconds)},
          {"mean_cores", number(c.mean_cores)},
          {"total_seconds", number(c.total_seconds)},
          {"visits", number(c.visits)},
          {"observed_visits", number(c.observed_visits)},
          {"predicted_seconds", number(c.predicted_seconds)},
          {"predicted_utilisation", number(c.predicted_utilisation)},
          {"utilisation", number(c.utilisation)},
          {"busy", number(c.busy)},
          {"held_up", number(c.held_up)},
          {"alpha", number(c.model.alpha)},
          {"alpha_known", c.model.alpha_known},
          {"coefficients", c.model.coefficients},
          {"powers", c.model.powers},
          {"serial_coefficients", c.model.serial},
          {"contention", number(c.model.contention)},
          {"fork_join", number(c.model.fork_join)},
          {"scatter", number(c.model.scatter)},
          {"p99_over_law", number(c.model.p99)},
          {"predictors", c.model.use_names},
          {"explained", number(c.model.explained)},
          {"model", c.model.words}};
}

json inputs_json(const device_report& d) {
  json x = json::array(), on_cores = json::array(), on_device = json::array(), on_full_device = json::array();
  for (const device_report::input& i : d.inputs) {
    x.push_back(number(i.x));
    on_cores.push_back(number(i.on_cores));
    on_device.push_back(number(i.on_device));
    on_full_device.push_back(number(i.on_full_device));
  }
  return {{"x", x}, {"on_cores", on_cores}, {"on_device", on_device}, {"on_full_device", on_full_device}};
}

json devices_json(const run_report& r) {
  json all = json::array();
  for (const device_report& d : r.devices)
    all.push_back({{"device", d.device},
                   {"component", d.component},
                   {"slots", d.slots},
                   {"peak", d.peak},
                   {"invocations", d.invocations},
                   {"errors", d.errors},
                   {"explored", d.explored},
                   {"records", d.records},
                   {"size_on_cores", d.size_on_cores},
                   {"size_on_device", d.size_on_device},
                   {"mean_seconds", number(d.mean_seconds)},
                   {"total_seconds", number(d.total_seconds)},
                   {"left_alone", number(d.left_alone)},
                   {"crossing", number(d.crossing)},
                   {"inputs", inputs_json(d)}});
  return all;
}

json resources_json(const run_report& r) {
  json all = json::array();
  for (const resource_report& one : r.resources)
    all.push_back({{"name", one.name}, {"total", one.total}, {"in_use", one.in_use}, {"peak", one.peak}});
  return all;
}

json in_flight_json(const run_report& r) {
  const auto known = [](bool is_known, std::uint64_t n) { return is_known ? json(n) : json(nullptr); };
  return {{"records", known(r.in_flight.counts_records(), r.in_flight.records)},
          {"limit", known(r.in_flight.limit > 0, r.in_flight.limit)},
          {"peak", known(r.in_flight.counts_records(), r.in_flight.peak)},
          {"bytes", known(r.in_flight.counts_bytes(), r.in_flight.bytes)},
          {"bytes_limit", known(r.in_flight.counts_bytes(), r.in_flight.bytes_limit)},
          {"bytes_peak", known(r.in_flight.counts_bytes(), r.in_flight.bytes_peak)},
          {"blocked_seconds", number(r.in_flight.blocked_seconds)}};
}

json network_json(const network_report& n) {
  return {{"arrival_rate", number(n.arrival_rate)},
          {"predicted_throughput", number(n.predicted_throughput)},
          {"predicted_latency", number(n.predicted_latency)},
          {"predicted_group_utilisation", number(n.predicted_group_utilisation)},
          {"bottleneck", words_or_null(n.bottleneck)},
          {"bottleneck_is_shared", n.bottleneck_is_shared},
          {"followed", n.followed},
          {"latency_mean", number(n.latency_mean)},
          {"latency_p50", number(n.latency_p50)},
          {"latency_p99", number(n.latency_p99)}};
}

json hang_json(const hang& h) {
  return {{"component", h.component},
          {"path", h.path},
          {"record", h.record},
          {"x", number(h.x)},
          {"cores", h.cores},
          {"seconds", number(h.seconds)},
          {"expected", number(h.expected)}};
}

json stream_json(const stream_report& s) {
  return {{"from", s.from},
          {"to", s.to},
          {"records", s.records},
          {"capacity", s.capacity},
          {"peak", s.peak},
          {"predicted", s.predicted},
          {"occupancy", number(s.occupancy)},
          {"blocked_seconds", number(s.blocked_seconds)},
          {"bytes", number(s.bytes)}};
}

json totals_json(const run_report& r) {
  json j{{"format", 1},
         {"version", linked_version()},
         {"cores", r.cores},
         {"ended", r.ended},
         {"policy", r.policy},
         {"machine", r.machine},
         {"seconds", number(r.seconds)},
         {"began", number(r.began)},
         {"sent", r.sent},
         {"results", r.results},
         {"failed", r.failed},
         {"dropped", r.dropped},
         {"emitted", r.emitted},
         {"away", r.away},
         {"records_ended", r.records_ended},
         {"foreign_load", number(r.foreign_load)}};
  j["failed_by"] = json::object();
  for (const auto& [kind, count] : r.failed_by) j["failed_by"][kind] = count;
  return j;
}

}  // namespace

std::string json_of(const run_report& r, report_part part) {
  const standard_floats own;
  const bool is_all = part == report_part::all;
  const auto from = [&](std::size_t size, std::size_t of_an_update) {
    return is_all ? 0 : size - std::min(size, of_an_update);
  };
  json j = totals_json(r);
  j["held"] = r.held;
  j["held_at"] = json::array();
  for (const held_report& h : r.held_at) j["held_at"].push_back({{"path", h.path}, {"records", h.records}});
  j["unfinished"] = r.unfinished;
  j["unfolded"] = r.unfolded;
  j["removed"] = r.removed;
  j["resources"] = resources_json(r);
  j["devices"] = devices_json(r);
  j["in_flight"] = in_flight_json(r);
  j["monitored"] = r.monitored;
  j["goal"] = goal_json(r.goal);
  j["network"] = network_json(r.network);
  j["links"] = json::array();
  if (is_all)
    for (const link_report& l : r.links)
      j["links"].push_back({{"from", l.from}, {"to", l.to}, {"records", number(l.records)}});
  j["components"] = json::array();
  j["components_total"] = r.components.size();
  const auto most_of = [&](std::size_t size, std::size_t of_an_update) { return is_all ? size : of_an_update; };
  for (const std::size_t i : largest(r.components, most_of(r.components.size(), components_of_an_update),
                                     [](const component_report& c) { return c.total_seconds; })) {
    j["components"].push_back(component_json(r.components[i]));
    if (is_all) j["components"].back()["curves"] = curves_json(curves_of(r.components[i], r.cores));
  }
  j["streams"] = json::array();
  for (const std::size_t i : largest(r.streams, most_of(r.streams.size(), streams_of_an_update),
                                     [](const stream_report& s) { return s.records; }))
    j["streams"].push_back(stream_json(r.streams[i]));
  if (!r.ranks.empty()) {
    j["ranks"] = json::array();
    for (const rank_report& one : r.ranks) j["ranks"].push_back(rank_json(one));
  }
  j["history"] = history_json(r.history, from(r.history.size(), rows_of_an_update));
  if (is_all && r.graph) j["graph"] = graph_json(*r.graph);
  j["decisions"] = json::array();
  j["decisions_total"] = r.decisions.size() + r.decisions_not_shown;
  for (std::size_t i = from(r.decisions.size(), decisions_of_an_update); i < r.decisions.size(); ++i)
    j["decisions"].push_back(decision_json(r.decisions[i], r.names));
  j["failures"] = json::array();
  for (const failure& f : r.failures)
    j["failures"].push_back({{"path", f.path}, {"entity", f.entity}, {"record", f.record}, {"cause", f.cause}});
  j["failures_not_shown"] = r.failures_not_shown;
  j["hanging"] = json::array();
  for (const hang& h : r.hanging) j["hanging"].push_back(hang_json(h));
  j["hung"] = r.hung;
  j["waits_for"] = r.waits_for;
  j["notes"] = r.notes;
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace weir::detail
