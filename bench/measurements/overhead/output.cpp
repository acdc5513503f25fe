#include "bench/measurements/overhead/output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/support/host.hpp"

namespace weir::overhead {
namespace {

using json = nlohmann::ordered_json;

json number(double v) { return std::isnan(v) ? json() : json(v); }

std::string number(double v, const char* form) { return std::isnan(v) ? "-" : fmt::format(fmt::runtime(form), v); }

json as_json(const measured& m) {
  const auto rate = m.over(&sample::records_per_second);
  const auto median = [&](double sample::*of) { return number(m.over(of).median); };
  json j{{"group", m.what.group},
         {"config", m.what.config},
         {"impl", m.what.impl},
         {"records", m.records},
         {"records_per_second", number(rate.median)},
         {"min", number(rate.low)},
         {"max", number(rate.high)},
         {"steady_records_per_second", median(&sample::steady_records_per_second)},
         {"ratio_to_flow_graph", number(m.ratio_to_flow_graph)},
         {"cpu_ns_per_record", median(&sample::cpu_ns_per_record)},
         {"context_switches_per_record", median(&sample::switches_per_record)},
         {"allocations_per_record", median(&sample::allocations_per_record)},
         {"instructions_per_record", number(m.instructions_per_record)}};
  const double p50 = m.over(&sample::latency_p50_us).median;
  j["latency_us"] = std::isnan(p50) ? json() : json{{"p50", p50}, {"p99", m.over(&sample::latency_p99_us).median}};
  j["efficiency"] = number(m.efficiency);
  j["steady_efficiency"] = number(m.steady_efficiency);
  j["ratio_to_best_rival"] = m.against ? json{{"rival", m.against->rival},
                                              {"median", m.against->ratio.median},
                                              {"low", m.against->ratio.low},
                                              {"high", m.against->ratio.high},
                                              {"pairs", m.against->pairs}}
                                       : json();
  j["cpu_percent_of_one_core"] = median(&sample::cpu_percent_of_one_core);
  j["context_switches"] = median(&sample::context_switches);
  j["allocations_per_component"] = median(&sample::allocations_per_component);
  j["bytes_per_component"] = median(&sample::bytes_per_component);
  return j;
}

// Values that only some rows have, in words.
std::string remarks(const measured& m) {
  std::string text;
  const auto add = [&](double v, const char* form) {
    if (!std::isnan(v)) text += fmt::format("{}{}", text.empty() ? "" : "; ", fmt::format(fmt::runtime(form), v));
  };
  add(100 * m.efficiency, "{:.1f} % of the cores");
  if (m.what.impl == "weir") add(100 * m.steady_efficiency, "second half {:.1f} %");
  if (m.against) {
    const contest& c = *m.against;
    text += fmt::format("{}{:.3f} [{:.3f} .. {:.3f}] x {}, {} pairs", text.empty() ? "" : "; ", c.ratio.median,
                        c.ratio.low, c.ratio.high, c.rival, c.pairs);
  }
  add(m.over(&sample::cpu_percent_of_one_core).median, "{:.2f} % of one core");
  add(m.over(&sample::context_switches).median, "{:.0f} context switches");
  add(m.over(&sample::allocations_per_component).median, "{:.4g} allocations a component");
  add(m.over(&sample::bytes_per_component).median, "{:.4g} bytes a component");
  add(m.instructions_per_record, "{:.0f} instructions a record");
  return text;
}

// weir's cost of a further box: from pipes of 64 and of 16 boxes with 64 in flight. NaN unless both were measured.
double cpu_ns_per_box(const std::vector<measured>& all) {
  double at_16 = unknown, at_64 = unknown;
  for (const measured& m : all) {
    if (m.what.group != "pipe" || m.what.impl != "weir") continue;
    if (m.what.config == "k=16") at_16 = m.over(&sample::cpu_ns_per_record).median;
    if (m.what.config == "k=64") at_64 = m.over(&sample::cpu_ns_per_record).median;
  }
  return (at_64 - at_16) / (64 - 16);
}

std::string line(const measured& m) {
  const auto rate = m.over(&sample::records_per_second);
  const auto median = [&](double sample::*of, const char* form) { return number(m.over(of).median, form); };
  const std::string spread = std::isnan(rate.median) ? ""
                                                     : fmt::format("{:.4g} [{:.4g} .. {:.4g}]", rate.median / 1e3,
                                                                   rate.low / 1e3, rate.high / 1e3);
  return fmt::format("  {:<27}{:<34}{:>8}{:>10}{:>9}{:>9}{:>9}{:>9}  {}\n", m.what.impl, spread,
                     number(m.ratio_to_flow_graph, "{:.3g}"), median(&sample::cpu_ns_per_record, "{:.0f}"),
                     median(&sample::switches_per_record, "{:.4f}"), median(&sample::allocations_per_record, "{:.4f}"),
                     median(&sample::latency_p50_us, "{:.2f}"), median(&sample::latency_p99_us, "{:.2f}"), remarks(m));
}

}  // namespace

std::string as_text(const std::vector<measured>& all, int repeats, double instructions_per_box) {
  std::string text = fmt::format("{} cores ({}), {} build; medians of {} interleaved runs; every answer checked\n",
                                 program::usable_cores(), program::processor_name(), program::build_type(), repeats);
  std::string config;
  for (const measured& m : all) {
    const std::string now = m.what.group + " " + m.what.config;
    if (now != config)
      text += fmt::format("\n{:<29}{:<34}{:>8}{:>10}{:>9}{:>9}{:>9}{:>9}\n", now, "1000 records/s [min .. max]",
                          "x flow", "cpu ns", "switches", "allocs", "p50 us", "p99 us");
    config = now;
    text += line(m);
  }
  const double cpu = cpu_ns_per_box(all);
  if (!std::isnan(cpu)) text += fmt::format("\n{:.1f} ns of CPU a box in weir's pipes\n", cpu);
  if (!std::isnan(instructions_per_box)) text += fmt::format("\n{:.1f} instructions a box\n", instructions_per_box);
  return text;
}

std::string as_json(const std::vector<measured>& all, int repeats, double instructions_per_box) {
  json j{{"machine", {{"cores", program::usable_cores()}, {"processor", program::processor_name()}}},
         {"build", program::build_type()},
         {"repeats", repeats},
         {"cpu_ns_per_box", number(cpu_ns_per_box(all))},
         {"instructions_per_box", number(instructions_per_box)},
         {"rows", json::array()}};
  for (const measured& m : all) j["rows"].push_back(as_json(m));
  return j.dump(2) + "\n";
}

}  // namespace weir::overhead
