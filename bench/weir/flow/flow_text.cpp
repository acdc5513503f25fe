#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/support/readable.hpp"
#include "bench/weir/flow/flow_report.hpp"

namespace weir::program {
namespace {

std::string rate_text(double rate) { return std::isfinite(rate) ? fmt::format("{:.4g}", rate) : "-"; }

std::string latency_text(const flow_result& result, const network_prediction& p) {
  if (result.at.rate <= 0) return duration(p.latency) + " of a record alone";
  if (std::isinf(p.latency)) return "without bound";
  return fmt::format("{} at {} records/s", duration(p.latency), rate_text(p.rate));
}

// Groups consecutive cores that are equally busy.
std::string cores_text(const std::vector<double>& cores) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && std::abs(cores[last + 1] - cores[first]) < 5e-4) ++last;
    text += fmt::format("{}{{{}}} {}", first == 0 ? "" : ", ",
                        to_string(core_set::range(static_cast<int>(first), static_cast<int>(last - first + 1))),
                        percentage(100 * cores[first]));
    first = last + 1;
  }
  return text;
}

std::string components_text(const network_prediction& p) {
  std::string text = fmt::format("\n{:<16} {:>7} {:>6} {:>10} {:>12} {:>12} {:>8} {:>9}\n", "component", "visits",
                                 "gain", "records/s", "service rate", "utilisation", "load", "sojourn");
  for (const network_prediction::component& c : p.components)
    text += fmt::format("{:<16} {:>7.4g} {:>6.4g} {:>10} {:>12} {:>12} {:>8} {:>9}\n", printable(c.name), c.visits,
                        c.gain, rate_text(c.rate), rate_text(c.service_rate), percentage(100 * c.utilisation),
                        percentage(100 * c.load), duration(c.sojourn));
  return text;
}

// The data that learnt costs rest on, for the number of cores of an invocation.
std::string costs_text(const flow_result& result, const mapping& where) {
  std::string text;
  for (std::size_t i = 0; i < result.file.bases.size(); ++i) {
    const cost_basis& basis = result.file.bases[i];
    const int cores = where.components[i].invocation_cores();
    const cost_spread one = basis.on(cores);
    if (i == 0) text = fmt::format("\n{:<16} {:>5} {:>9} {:>9} {:>21}\n", "cost", "cores", "T", "sd", "90 % within");
    text += fmt::format(
        "{:<16} {:>5} {:>9} {:>9} {:>21}{}\n", printable(result.file.network.components[i].name), cores,
        duration(one.seconds), duration(one.sd),
        std::isfinite(one.high) ? fmt::format("{} .. {}", duration(one.low), duration(one.high)) : "-",
        one.extrapolates ? (basis.alpha_known ? "  extrapolated" : "  extrapolated: alpha is assumed") : "");
    if (!basis.words.empty()) text += fmt::format("  {}\n", printable(basis.words));
  }
  return text;
}

std::string streams_text(const network_prediction& p) {
  const auto name = [&](int i, const char* outer) { return printable(end_name(p, i, outer)); };
  std::string text = fmt::format("\n{:<33} {:>10} {:>8}\n", "stream", "records/s", "places");
  for (const network_prediction::stream& s : p.streams)
    text += fmt::format("{:<33} {:>10} {:>8}{}\n", name(s.from, "input") + " -> " + name(s.to, "output"),
                        rate_text(s.records), s.places > 0 ? std::to_string(s.places) : "-",
                        s.held > 1e-9 * s.records ? fmt::format("  {} records/s pile up", rate_text(s.held)) : "");
  return text;
}

std::string found_text(const flow_result& result) {
  std::string text = fmt::format(
      "\nbest {}, {}\n{:>4} {:>10} {:>10} {:>6}  mapping\n", counted(result.found.size(), "mapping"),
      result.complete ? "nothing better was left out"
                      : fmt::format("of {} that were looked at: there are too many to look at all", result.considered),
      "", "records/s", "latency", "cores");
  for (std::size_t i = 0; i < result.found.size(); ++i) {
    const found_mapping& one = result.found[i].found;
    text += fmt::format("{:>4} {:>10} {:>10} {:>6}  {}\n", i + 1, rate_text(one.predicted.throughput),
                        duration(one.predicted.latency), one.where.used().size(),
                        printable(to_string(one.where, result.network_of(result.found[i]))));
  }
  return text;
}

}  // namespace

std::string flow_text(const flow_result& result) {
  const found_mapping& first = result.found.front().found;
  const network_prediction& p = first.predicted;
  const bool is_shared = result.at.rule == sharing::work_conserving;
  std::string text = fmt::format("{}: {}, {} on {}\n", printable(result.path), result.file.kind,
                                 counted(result.file.network.components.size(), "component"),
                                 counted(static_cast<std::uint64_t>(result.cores), "core"));
  text += fmt::format("  mapping     {} (by {}{})\n",
                      printable(to_string(first.where, result.network_of(result.found.front()))), result.where_from,
                      result.objective.empty() ? "" : " for " + result.objective);
  text += fmt::format("  throughput  {} records/s ({}; {}: {})\n", rate_text(p.throughput),
                      is_shared ? "cores shared work-conserving" : "cores shared by mu/n",
                      is_shared ? "by mu/n" : "work-conserving",
                      rate_text(is_shared ? p.throughput_mu_n : p.throughput_shared));
  text += fmt::format("  bottleneck  {}\n  latency     {}\n", printable(p.bottleneck), latency_text(result, p));
  if (!p.feasible) text += fmt::format("  infeasible  {}\n", p.why_not);
  text += components_text(p) + costs_text(result, first.where) + streams_text(p);
  text += fmt::format("\ncores in use: {}\n", cores_text(p.cores));
  if (result.found.size() > 1) text += found_text(result);
  std::set<std::string> said;
  for (const std::string& note : p.notes)
    if (said.insert(note).second)
      text += fmt::format("{}{}\n", said.size() == 1 ? "\nnote: " : "note: ", printable(note));
  return text;
}

}  // namespace weir::program
