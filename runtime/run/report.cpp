#include "runtime/run/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

namespace weir {
namespace {

using json = nlohmann::ordered_json;

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

std::string percent(double part) { return std::isnan(part) ? "-" : fmt::format("{:.0f} %", 100 * part); }

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json allotment_json(const allotment& a, const std::vector<std::string>& names) {
  json owners = json::object();
  for (std::size_t i = 0; i < a.components.size(); ++i)
    owners[names[i]] = {{"cores", a.components[i].cores.size()}, {"width", a.components[i].width}};
  return {{"components", owners}, {"shared", a.shared.size()}};
}

std::string predicted_beside_observed(const run_report& r) {
  std::vector<std::array<std::string, 3>> rows{
      {"network", "predicted", "observed"},
      {"throughput", rate(r.network.predicted_throughput), rate(r.network.arrival_rate)},
      {"latency", duration(r.network.predicted_latency), duration(r.network.latency_mean)}};
  for (const component_report& c : r.components) {
    rows.push_back({c.name + " busy", percent(c.predicted_utilisation), percent(c.utilisation)});
    rows.push_back({c.name + " visits", per_record(c.visits), per_record(c.observed_visits)});
  }
  for (const stream_report& s : r.streams)
    if (s.predicted > 0)
      rows.push_back(
          {s.from + " -> " + s.to, fmt::format("{} places", s.predicted), fmt::format("{} at most", s.peak)});
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
    text += fmt::format("  {} -> {}: {}, {}, {}", s.from, s.to, s.records,
                        s.capacity ? fmt::format("{}", s.capacity) : "unbounded", s.peak);
    if (r.monitored)
      text += fmt::format(", {}, {}", std::isnan(s.occupancy) ? "-" : fmt::format("{:.3g}", s.occupancy),
                          duration(s.blocked_seconds));
    if (with_bytes) text += ", " + (std::isnan(s.bytes) ? "-" : fmt::format("{:.4g}", s.bytes));
    text += '\n';
  }
  return text;
}

// How many records, and where as far as known: "3 records: 2 at :S2:R1, 1 at :S2:R4". Only a few places, since it is
// one line.
// Components that compute on more threads than they were granted, a line each.
std::string own_threads_text(const run_report& r) {
  std::string text;
  for (const component_report& c : r.components)
    if (c.own_threads > 0)
      text += fmt::format("  {} computes on threads of its own, {} at once, which want {:.1f} cores beyond its grant\n", c.name,
                          c.own_threads, c.cores_beyond_grant);
  return text;
}

std::string unfinished_text(const run_report& r) {
  return fmt::format("folds that did not finish: {} state{}\n", r.unfinished, r.unfinished == 1 ? "" : "s");
}

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
  std::string text = fmt::format("{} records in, {} out, {} failed, {} dropped in {} on {}, policy {}\n", sent, results,
                                 failed, dropped, duration(seconds), machine, policy);
  for (const component_report& c : components)
    text +=
        fmt::format("  {}: {}, {} invocations, mean {}\n", c.name, c.place, c.invocations, duration(c.mean_seconds));
  if (held > 0) text += "  held in synchrocells: " + held_text(*this) + "\n";
  text += own_threads_text(*this);
  if (unfinished > 0) text += "  " + unfinished_text(*this);
  for (const hang& h : hanging) text += "  " + to_string(h) + "\n";
  return text;
}

std::string run_report::full() const {
  std::string text = fmt::format("{} records in, {} out, {} failed, {} dropped in {} on {}, policy {}\n\n", sent,
                                 results, failed, dropped, duration(seconds), machine, policy);
  std::size_t name_width = 9, place_width = 5;
  for (const component_report& c : components) {
    name_width = std::max(name_width, c.name.size());
    place_width = std::max(place_width, c.place.size());
  }
  text += fmt::format("{:<{}}  {:<{}}  {:>11}  {:>8}  {:>10}  {:>11}\n", "component", name_width, "place", place_width,
                      "invocations", "observed", "mean", "utilisation");
  for (const component_report& c : components)
    text += fmt::format("{:<{}}  {:<{}}  {:>11}  {:>8}  {:>10}  {:>11}\n", c.name, name_width, c.place, place_width,
                        c.invocations, c.observations, duration(c.mean_seconds), percent(c.utilisation));
  if (const std::string threads = own_threads_text(*this); !threads.empty())
    text += "\nthreads that boxes started\n" + threads;
  text += '\n' + predicted_beside_observed(*this);
  text += "\nlinks (records for each that enters)\n";
  for (const link_report& l : links) text += fmt::format("  {} -> {}: {:.3g}\n", l.from, l.to, l.records);
  text += "\nmodels\n";
  for (const component_report& c : components) text += fmt::format("  {}: {}\n", c.name, c.model.words);
  text += streams_text(*this);
  text += "\ndecisions\n";
  for (const decision& d : decisions) {
    text += fmt::format("  {:>10}  {}\n              {}\n", duration(d.time), to_string(d.to, names), d.why);
    if (!d.from.components.empty())
      text += fmt::format("              predicted gain {:.1f} %, realised {}{}\n", 100 * d.predicted_gain,
                          d.realised_gain ? fmt::format("{:.1f} %", 100 * *d.realised_gain) : "not measured yet",
                          d.reverted ? ", taken back" : "");
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
  if (!notes.empty()) text += "\nwhat the machine did not allow\n";
  for (const std::string& n : notes) text += "  " + n + "\n";
  return text;
}

std::string run_report::json() const {
  using object = nlohmann::ordered_json;
  object j{{"policy", policy},   {"machine", machine}, {"seconds", number(seconds)}, {"sent", sent},
           {"results", results}, {"failed", failed},   {"dropped", dropped}};
  j["failed_by"] = object::object();
  for (const auto& [kind, count] : failed_by) j["failed_by"][kind] = count;
  j["held"] = held;
  j["held_at"] = object::array();
  for (const held_report& h : held_at) j["held_at"].push_back({{"path", h.path}, {"records", h.records}});
  j["unfinished"] = unfinished;
  j["unfolded"] = unfolded;
  j["removed"] = removed;
  j["monitored"] = monitored;
  j["network"] = {{"arrival_rate", number(network.arrival_rate)},
                  {"predicted_throughput", number(network.predicted_throughput)},
                  {"predicted_latency", number(network.predicted_latency)},
                  {"followed", network.followed},
                  {"latency_mean", number(network.latency_mean)},
                  {"latency_p50", number(network.latency_p50)},
                  {"latency_p99", number(network.latency_p99)}};
  j["links"] = object::array();
  for (const link_report& l : links)
    j["links"].push_back({{"from", l.from}, {"to", l.to}, {"records", number(l.records)}});
  j["components"] = object::array();
  for (const component_report& c : components)
    j["components"].push_back({{"name", c.name},
                               {"place", c.place},
                               {"cores", c.cores},
                               {"width", c.width},
                               {"invocations", c.invocations},
                               {"failures", c.failures},
                               {"observations", c.observations},
                               {"own_threads", c.own_threads},
                               {"cores_beyond_grant", number(c.cores_beyond_grant)},
                               {"mean_seconds", number(c.mean_seconds)},
                               {"visits", number(c.visits)},
                               {"observed_visits", number(c.observed_visits)},
                               {"predicted_seconds", number(c.predicted_seconds)},
                               {"predicted_utilisation", number(c.predicted_utilisation)},
                               {"utilisation", number(c.utilisation)},
                               {"alpha", number(c.model.alpha)},
                               {"alpha_known", c.model.alpha_known},
                               {"coefficients", c.model.coefficients},
                               {"contention", number(c.model.contention)},
                               {"fork_join", number(c.model.fork_join)},
                               {"scatter", number(c.model.scatter)},
                               {"model", c.model.words}});
  j["streams"] = object::array();
  for (const stream_report& s : streams)
    j["streams"].push_back({{"from", s.from},
                            {"to", s.to},
                            {"records", s.records},
                            {"capacity", s.capacity},
                            {"peak", s.peak},
                            {"predicted", s.predicted},
                            {"occupancy", number(s.occupancy)},
                            {"blocked_seconds", number(s.blocked_seconds)},
                            {"bytes", number(s.bytes)}});
  j["decisions"] = object::array();
  for (const decision& d : decisions)
    j["decisions"].push_back({{"time", number(d.time)},
                              {"from", d.from.components.empty() ? object(nullptr) : allotment_json(d.from, names)},
                              {"to", allotment_json(d.to, names)},
                              {"why", d.why},
                              {"predicted_gain", number(d.predicted_gain)},
                              {"realised_gain", d.realised_gain ? number(*d.realised_gain) : object(nullptr)},
                              {"reverted", d.reverted}});
  j["failures"] = object::array();
  for (const failure& f : failures)
    j["failures"].push_back({{"path", f.path}, {"entity", f.entity}, {"record", f.record}, {"cause", f.cause}});
  j["failures_not_shown"] = failures_not_shown;
  j["hanging"] = object::array();
  for (const hang& h : hanging)
    j["hanging"].push_back({{"component", h.component},
                            {"path", h.path},
                            {"x", number(h.x)},
                            {"cores", h.cores},
                            {"seconds", number(h.seconds)},
                            {"expected", number(h.expected)}});
  j["hung"] = hung;
  j["notes"] = notes;
  return j.dump(2, ' ', false, object::error_handler_t::replace);
}

std::ostream& operator<<(std::ostream& to, const run_report& r) { return to << r.full(); }

}  // namespace weir
