#include "bench/weir/simulate/simulated_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Core seconds that each component had of its own, by the decisions.
std::vector<double> owned_core_seconds(const simulation::simulated_result& run, std::size_t components) {
  std::vector<double> owned(components, 0);
  for (std::size_t d = 0; d < run.decisions.size(); ++d) {
    const double until = d + 1 < run.decisions.size() ? run.decisions[d + 1].time : run.seconds;
    const double length = std::max(0.0, until - run.decisions[d].time);
    for (std::size_t i = 0; i < components; ++i) owned[i] += length * run.decisions[d].to.components[i].cores.size();
  }
  return owned;
}

std::string place_of(const share& has) {
  if (has.outside) return fmt::format("outside the cores, {}", counted(static_cast<std::uint64_t>(has.width), "lane"));
  if (has.cores.empty()) return "shared group";
  return fmt::format("own cores {{{}}}, {}", to_string(has.cores),
                     counted(static_cast<std::uint64_t>(has.width), "lane"));
}

std::shared_ptr<const network_graph> graph_of(const simulation::scenario& of) {
  const auto graph = std::make_shared<network_graph>();
  const auto outermost = network_graph::outermost;
  graph->nodes.push_back({network_graph::node_kind::input, "input", "", outermost});
  for (const simulation::simulated_component& c : of.components)
    graph->nodes.push_back({network_graph::node_kind::box, c.name, c.name, outermost});
  graph->nodes.push_back({network_graph::node_kind::output, "output", "", outermost});
  const std::size_t output = graph->nodes.size() - 1;
  std::vector<bool> is_entered(output, false), is_left(output, false);
  for (const link& l : of.all_links()) {
    const auto from = static_cast<std::size_t>(l.from + 1);  // -1 is the input
    const std::size_t to = l.to < 0 ? output : static_cast<std::size_t>(l.to) + 1;
    const bool is_back = to <= from;
    graph->edges.push_back({from, to, is_back});
    if (is_back) continue;
    is_left[from] = true;
    if (to < output) is_entered[to] = true;
  }
  for (std::size_t node = 1; node < output; ++node) {
    if (!is_entered[node]) graph->edges.push_back({0, node, false});
    if (!is_left[node]) graph->edges.push_back({node, output, false});
  }
  return graph;
}

}  // namespace

run_report report_of(const simulated_row& row, const simulation::scenario& of) {
  const simulation::simulated_result& run = row.result;
  run_report r;
  r.policy = row.policy;
  r.machine = fmt::format("simulated: {}", counted(static_cast<std::uint64_t>(of.cores), "core"));
  r.cores = of.cores;
  r.ended = true;
  r.seconds = run.seconds;
  r.sent = r.results = run.records;
  r.monitored = false;
  r.network = {.arrival_rate = run.throughput,
               .predicted_throughput = run.course.empty() ? unknown : run.course.back().predicted,
               .predicted_latency = unknown,
               .followed = run.records,
               .latency_mean = run.latency_mean,
               .latency_p50 = run.latency_p50,
               .latency_p99 = run.latency_p99,
               .bottleneck = {}};
  const std::vector<double> owned = owned_core_seconds(run, of.components.size());
  for (std::size_t i = 0; i < of.components.size(); ++i) {
    component_report c;
    c.name = of.components[i].name;
    r.names.push_back(c.name);
    const double busy = run.utilisation[i] * run.seconds * of.cores;  // core seconds
    if (!run.decisions.empty()) {
      const share& has = run.decisions.back().to.components[i];
      c.place = place_of(has);
      c.cores = has.cores.size();
      c.width = has.width;
    }
    c.invocations = c.observations = 0;
    c.mean_seconds = c.visits = c.observed_visits = c.predicted_seconds = c.predicted_utilisation = unknown;
    c.total_seconds = busy;
    c.busy = c.utilisation = owned[i] > 0 ? std::min(1.0, busy / owned[i]) : unknown;
    c.held_up = unknown;
    r.components.push_back(std::move(c));
  }
  for (const simulation::device_use& d : run.devices) {
    device_report& one = r.devices.emplace_back();
    one.device = of.devices[d.device].name;
    one.component = of.components[d.component].name;
    one.slots = of.devices[d.device].slots;
    one.peak = d.seen.peak;
    one.invocations = d.seen.invocations;
    one.records = d.seen.records;
    one.size_on_cores = d.seen.size_on_cores;
    one.size_on_device = d.seen.size_on_device;
    one.errors = d.seen.errors;
    one.explored = d.seen.explored;
    one.mean_seconds = d.seen.invocations > d.seen.errors ? d.seen.mean_seconds : unknown;
    one.total_seconds = d.seen.total_seconds;
    one.left_alone = d.seen.pause;
    one.crossing = d.seen.crossing;
  }
  for (const simulation::course_row& moment : run.course)
    r.history.push_back({.time = moment.time,
                         .seconds = moment.seconds,
                         .sent = moment.entered,
                         .results = moment.left,
                         .failed = 0,
                         .predicted = moment.predicted,
                         .followed = moment.left,
                         .latency_p50 = moment.latency_p50,
                         .latency_p99 = moment.latency_p99,
                         .waiting = static_cast<double>(moment.waiting)});
  r.graph = graph_of(of);
  r.decisions = run.decisions;
  return r;
}

void write_page(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  const simulation::scenario first = plan.file.at(plan.seeds.front());
  std::vector<named_report> shown;
  for (const simulated_row& row : rows)
    if (row.seed == plan.seeds.front()) shown.push_back({row.policy, report_of(row, first).json()});
  page_table table{
      fmt::format("{}: {}", plan.file.name, counted(plan.seeds.size(), "seed")),
      {"policy", "records/s", "x clairvoyant", "least", "x best-fixed", "least", "latency", "p99", "moves"},
      {}};
  for (const simulated_summary& s : summaries_of(plan, rows))
    table.rows.push_back({s.policy, fmt::format("{:.4g}", s.throughput), fmt::format("{:.3f}", s.over_clairvoyant),
                          fmt::format("{:.3f}", s.least_over_clairvoyant), fmt::format("{:.3f}", s.over_best_fixed),
                          fmt::format("{:.3f}", s.least_over_best_fixed), duration(s.latency_mean),
                          duration(s.latency_p99), fmt::format("{:.3g}", s.moves)});
  plan.report->write(fmt::format("weir simulate {}, seed {}", plan.file.name, plan.seeds.front()), shown, {table});
}

}  // namespace weir::program
