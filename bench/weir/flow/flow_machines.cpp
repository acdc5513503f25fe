#include "bench/weir/flow/flow_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bench/support/readable.hpp"
#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/common/placement_words.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir::program {
namespace {

using kind = cluster_plan::part::kind;

constexpr std::size_t most_rows = 12;  // of wires and of machines: the busiest

std::string rate(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

std::string place_text(int at) { return at == everywhere ? "all" : std::to_string(at); }

std::string machines_words(const cluster& machines) {
  const int first = machines.cores.front();
  const bool are_equal = std::count(machines.cores.begin(), machines.cores.end(), first) == machines.machines();
  std::string text = counted(machines.cores.size(), "machine");
  if (are_equal) return text + " of " + counted(static_cast<std::uint64_t>(first), "core");
  return fmt::format("{} of {} cores", text, fmt::join(machines.cores, ", "));
}

// A component with all its copies: rates add up, the busiest counts.
std::string components_table(const machines_result& result) {
  const network_prediction& p = result.predicted.predicted;
  std::string text = fmt::format("\n{:<20} {:>7} {:>6} {:>10} {:>12} {:>12} {:>9}\n", "component", "machine", "cores",
                                 "records/s", "service rate", "utilisation", "sojourn");
  for (std::size_t i = 0; i < result.placed.network.components.size(); ++i) {
    double records = 0, service = 0, busy = 0, sojourn = 0;
    int cores = 0;
    for (std::size_t c = 0; c < p.components.size(); ++c) {
      const cluster_plan::part& part = result.predicted.plan.parts[result.predicted.part[c]];
      if (part.what != kind::component || part.of != i) continue;
      records += p.components[c].rate;
      service += p.components[c].service_rate;
      busy = std::max(busy, p.components[c].utilisation);
      sojourn = std::max(sojourn, p.components[c].sojourn);
      cores += result.predicted.where.components[c].cores.size();
    }
    text += fmt::format("{:<20} {:>7} {:>6} {:>10} {:>12} {:>12} {:>9}\n",
                        printable(result.placed.network.components[i].name), place_text(result.placed.places()[i]),
                        cores, rate(records), rate(service), percentage(100 * busy), duration(sojourn));
  }
  return text;
}

std::string wires_table(const machines_result& result) {
  const network_prediction& p = result.predicted.predicted;
  std::vector<std::size_t> wires;
  for (std::size_t c = 0; c < p.components.size(); ++c)
    if (result.predicted.plan.parts[result.predicted.part[c]].what == kind::wire) wires.push_back(c);
  if (wires.empty()) return "";
  std::stable_sort(wires.begin(), wires.end(), [&](std::size_t a, std::size_t b) {
    return p.components[a].utilisation > p.components[b].utilisation;
  });
  std::string text =
      fmt::format("\n{:<44} {:>10} {:>9} {:>12}\n", "between machines", "records/s", "of each", "utilisation");
  for (std::size_t k = 0; k < std::min(most_rows, wires.size()); ++k) {
    const cluster_plan::part& part = result.predicted.plan.parts[result.predicted.part[wires[k]]];
    text += fmt::format("{:<44} {:>10} {:>9} {:>12}\n", printable(part.name), rate(p.components[wires[k]].rate),
                        duration(part.seconds), percentage(100 * p.components[wires[k]].utilisation));
  }
  if (wires.size() > most_rows) text += fmt::format("and {} less busy\n", wires.size() - most_rows);
  return text;
}

double busy_cores(const machines_result& result, int machine) {
  const cluster& machines = result.placed.machines;
  double busy = 0;
  for (int k = 0; k < machines.cores[to_index(machine)]; ++k)
    busy += result.predicted.predicted.cores[to_index(machines.first_core(machine) + k)];
  return busy;
}

std::string machines_table(const machines_result& result) {
  const cluster& machines = result.placed.machines;
  std::string text =
      fmt::format("\n{:<8} {:>6} {:>11} {:>10} {:>10}\n", "machine", "cores", "cores busy", "port out", "port in");
  const int shown = std::min(machines.machines(), static_cast<int>(most_rows));
  for (int m = 0; m < shown; ++m)
    text += fmt::format("{:<8} {:>6} {:>11.3g} {:>10} {:>10}\n", m, machines.cores[to_index(m)], busy_cores(result, m),
                        percentage(100 * result.predicted.ports[to_index(m)].out),
                        percentage(100 * result.predicted.ports[to_index(m)].in));
  if (shown < machines.machines()) text += fmt::format("and {} more\n", machines.machines() - shown);
  return text;
}

json link_json(const machine_link& l) {
  return {{"latency", number(l.latency)},
          {"record_seconds", number(l.record_seconds)},
          {"bytes_per_second", number(l.bytes_per_second)}};
}

}  // namespace

placed_network placed_network_of(const flow_file& file) {
  placed_network result;
  result.network = file.network;
  result.machines = *file.machines;
  if (file.places.empty()) return result;
  result.at = places_on(result.machines, file.places);
  result.bytes = bytes_on(result.network.all_links(), file.bytes, file.places);
  return result;
}

machines_result flow_on_machines(const std::string& path, const flow_file& file, const flow_options& at) {
  machines_result result{path, file.kind, placed_network_of(file), at, {}, {}};
  result.predicted = predict_on_machines(result.placed, at);
  result.advice = advise_placement(result.placed, at);
  return result;
}

std::string machines_text(const machines_result& result) {
  const network_prediction& p = result.predicted.predicted;
  std::string text = fmt::format("{}: {}, {} on {}\n", printable(result.path), result.kind,
                                 counted(result.placed.network.components.size(), "component"),
                                 machines_words(result.placed.machines));
  const machine_link& l = result.placed.machines.usual;
  text += fmt::format("  links       {} latency, {} a record, {} bytes/s{}\n", duration(l.latency),
                      duration(l.record_seconds), std::isfinite(l.bytes_per_second) ? rate(l.bytes_per_second) : "any",
                      result.placed.machines.direct ? ", directly" : ", by way of machine 0");
  if (!result.placed.machines.pairs.empty())
    text += fmt::format("              {} differ\n", counted(result.placed.machines.pairs.size(), "link"));
  text += fmt::format("  throughput  {} records/s\n  bottleneck  {}\n", rate(p.throughput), printable(p.bottleneck));
  text += fmt::format("  latency     {}\n", result.at.rate <= 0 ? duration(p.latency) + " of a record alone"
                                            : std::isinf(p.latency)
                                                ? std::string("without bound")
                                                : fmt::format("{} at {} records/s", duration(p.latency), rate(p.rate)));
  if (!p.feasible) text += fmt::format("  infeasible  {}\n", p.why_not);
  text += components_table(result) + wires_table(result) + machines_table(result);
  text += "\n" + advice_text(result.advice, result.placed.network);
  std::set<std::string> said;
  for (const std::string& note : p.notes)
    if (said.insert(note).second) text += fmt::format("note: {}\n", printable(note));
  return text;
}

std::string machines_json(const machines_result& result) {
  const network_prediction& p = result.predicted.predicted;
  const cluster& machines = result.placed.machines;
  json all{{"file", result.path},
           {"kind", result.kind},
           {"cores", machines.all_cores()},
           {"machines", json::array()},
           {"usual_link", link_json(machines.usual)},
           {"links", json::array()},
           {"direct", machines.direct},
           {"feasible", p.feasible},
           {"why_not", p.why_not},
           {"throughput_per_second", number(p.throughput)},
           {"rate", number(p.rate)},
           {"latency_seconds", number(p.latency)},
           {"bottleneck", p.bottleneck},
           {"components", json::array()},
           {"between", json::array()},
           {"suggestion", advice_json(result.advice, result.placed.network)},
           {"notes", p.notes}};
  for (int m = 0; m < machines.machines(); ++m)
    all["machines"].push_back({{"cores", machines.cores[to_index(m)]},
                               {"cores_busy", number(busy_cores(result, m))},
                               {"port_out", number(result.predicted.ports[to_index(m)].out)},
                               {"port_in", number(result.predicted.ports[to_index(m)].in)}});
  for (const cluster::pair& pair : machines.pairs) {
    all["links"].push_back({{"from", pair.a}, {"to", pair.b}});
    all["links"].back().update(link_json(pair.cost));
  }
  for (std::size_t c = 0; c < p.components.size(); ++c) {
    const cluster_plan::part& part = result.predicted.plan.parts[result.predicted.part[c]];
    const network_prediction::component& one = p.components[c];
    json row{{"name", part.name}, {"machine", part.machine}};
    if (part.what != kind::component) row["to_machine"] = part.to_machine;
    if (part.what != kind::component) row["what"] = part.what == kind::wire ? "transfer" : "latency";
    row.update({{"rate", number(one.rate)},
                {"service_rate", number(one.service_rate)},
                {"utilisation", number(one.utilisation)},
                {"sojourn_seconds", number(one.sojourn)}});
    if (part.what == kind::component) {
      const mapping::entry& e = result.predicted.where.components[c];
      row["component"] = result.placed.network.components[part.of].name;
      row["cores"] = json::array();
      for (int core : e.cores) row["cores"].push_back(core);
      row["width"] = e.width;
      row["any"] = e.roams;
    }
    all[part.what == kind::component ? "components" : "between"].push_back(std::move(row));
  }
  return json_text(all);
}

}  // namespace weir::program
