#include "bench/weir/simulate/simulate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

std::string about(const simulate_plan& plan) {
  const simulation::scenario network = plan.file.at(plan.seeds.front());
  int widest = 0;
  for (const simulation::simulated_component& c : network.components) widest = std::max(widest, c.max_width);
  std::string text = fmt::format(
      "{}: {} on {}, {}, {}, {} a move", printable(plan.file.name), counted(network.components.size(), "component"),
      counted(static_cast<std::uint64_t>(network.cores), "core"), counted(network.records, "record"),
      counted(network.phase_starts.size(), "phase"), duration(network.move_cost));
  text += widest == unlimited ? ", any width" : widest == 1 ? ", width 1" : fmt::format(", width up to {}", widest);
  if (plan.objective != "throughput") text += fmt::format("; objective {}", plan.objective);
  if (plan.own.goal.is_latency()) text += ", ratios are of mean latencies";
  if (plan.own.goal.is_fewest_cores()) text += ", ratios are of cores";
  text += plan.seeds.size() == 1
              ? fmt::format("; seed {}\n", plan.seeds.front())
              : fmt::format("; seeds {} to {}: geometric means and minima\n", plan.seeds.front(), plan.seeds.back());
  return text;
}

// Devices and resources in the runs of the first seed.
std::string devices_text(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  const simulation::scenario network = plan.file.at(plan.seeds.front());
  std::string text;
  for (const simulated_row& row : rows) {
    if (row.seed != plan.seeds.front()) continue;
    for (const simulation::device_use& d : row.result.devices) {
      const simulation::simulated_device& device = network.devices[d.device];
      text += fmt::format("  {:<18}  {} on {}: {} of its records, {} of the time of {}", row.policy,
                          printable(network.components[d.component].name), printable(device.name),
                          percentage(100 * d.part()), percentage(100 * d.utilisation),
                          counted(static_cast<std::uint64_t>(device.slots), "slot"));
      if (std::isfinite(d.seen.crossing)) text += fmt::format("; faster from x = {:.4g} on", d.seen.crossing);
      if (d.seen.errors > 0) text += fmt::format("; {}", counted(d.seen.errors, "error"));
      text += "\n";
    }
    for (std::size_t k = 0; k < row.result.resource_peaks.size(); ++k)
      text +=
          fmt::format("  {:<18}  {}: at most {:.4g} of {:.4g} in use\n", row.policy,
                      printable(network.resources[k].name), row.result.resource_peaks[k], network.resources[k].total);
  }
  return text.empty() ? text : (plan.seeds.size() == 1 ? "" : fmt::format("  seed {}\n", plan.seeds.front())) + text;
}

}  // namespace

std::string simulate_text(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  const bool is_one = plan.seeds.size() == 1, counts_cores = plan.own.goal.is_fewest_cores();
  std::string text = about(plan);
  text += fmt::format("  {:<18}  {:>10}  {:>{}}  {:>{}}  {:>9}  {:>9}  {:>6}{}\n", "policy", "records/s",
                      "over clairvoyant", is_one ? 16 : 18, "over best fixed", is_one ? 16 : 18, "latency", "99 % in",
                      "moves", counts_cores ? "   cores" : "");
  for (const simulated_summary& s : summaries_of(plan, rows)) {
    const auto ratio = [&](double mean, double least) {
      return is_one ? fmt::format("{:>16.3f}", mean) : fmt::format("{:>9.3f}, {:>7.3f}", mean, least);
    };
    text += fmt::format("  {:<18}  {:>10.4g}  {}  {}  {:>9}  {:>9}  {:>6.4g}{}\n", s.policy, s.throughput,
                        ratio(s.over_clairvoyant, s.least_over_clairvoyant),
                        ratio(s.over_best_fixed, s.least_over_best_fixed), duration(s.latency_mean),
                        duration(s.latency_p99), s.moves, counts_cores ? fmt::format("  {:>6.4g}", s.cores_used) : "");
  }
  text += devices_text(plan, rows);
  if (plan.interrupted) text += "interrupted: this is what was done until then\n";
  return text;
}

std::string timeline_csv(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  std::string text = "policy,seed,time,component,cores,width,predicted_per_second,observed_per_second\n";
  const simulation::scenario network = plan.file.at(plan.seeds.front());
  for (const simulated_row& row : rows)
    for (const simulation::timeline_row& at : row.result.timeline) {
      const std::string& name = network.components[at.component].name;
      std::string quoted = name;
      if (name.find_first_of(",\"\n\r") != std::string::npos) {
        quoted = "\"";
        for (char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
        quoted += '"';
      }
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", row.policy, row.seed, at.time, quoted,
                     at.cores, at.width, std::isfinite(at.predicted) ? fmt::format("{}", at.predicted) : "",
                     at.observed);
    }
  return text;
}

}  // namespace weir::program
