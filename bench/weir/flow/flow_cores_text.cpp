#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "bench/support/readable.hpp"
#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/flow/flow_cores.hpp"

namespace weir::program {
namespace {

const interval90& shown(const cores_row& row, bool latency) { return latency ? row.latency : row.throughput; }

std::string interval_text(const interval90& of, const std::function<std::string(double)>& text) {
  return text(of.low) + " .. " + (std::isinf(of.high) ? "without bound" : text(of.high));
}

// From 0 to the largest end of all rows: "=" up to the lower end of the interval, "-" up to the upper one, "o" the
// mean.
std::string bar(const interval90& of, double mean, double largest) {
  constexpr double width = 30;
  if (!(largest > 0) || !std::isfinite(mean)) return {};
  const auto column = [&](double value) {
    return static_cast<std::size_t>(std::lround(width * std::min(value / largest, 1.0)));
  };
  std::string drawn(column(of.low), '=');
  drawn.resize(std::max(column(of.high), column(mean)) + 1, '-');
  drawn[column(mean)] = 'o';
  return drawn;
}

}  // namespace

std::string cores_text(const cores_table& table) {
  const auto rate = [](double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; };
  const bool draws_latency = table.objective.starts_with("latency");
  std::string text =
      fmt::format("{}: {}, {}\n", printable(table.path), table.kind,
                  table.objective.empty() ? printable(table.where) : "the best mappings for " + table.objective);
  if (!table.learnt_on.empty()) text += fmt::format("  learnt on {}\n", printable(table.learnt_on));
  text += '\n';
  text += table.is_drawn ? fmt::format("{:>5}  {:>10} {:>21}  {:>10} {:>24}\n", "cores", "records/s",
                                       "nine in ten within", "latency", "nine in ten within")
                         : fmt::format("{:>5}  {:>10} {:>10}\n", "cores", "records/s", "latency");
  double largest = 0;
  for (const cores_row& row : table.rows)
    if (row.placed)
      for (const double end : {shown(row, draws_latency).low, shown(row, draws_latency).high})
        if (std::isfinite(end)) largest = std::max(largest, end);
  std::set<std::string> extrapolated, assumed;
  for (const cores_row& row : table.rows) {
    if (!row.placed) {
      text += fmt::format("{:>5}  no mapping meets what is asked for\n", row.cores);
      continue;
    }
    const network_prediction& p = row.predicted();
    const std::string latency = std::isinf(p.latency) ? "no bound" : duration(p.latency);
    text += fmt::format("{:>5}{} ", row.cores, row.extrapolated.empty() ? ' ' : '*');
    text += table.is_drawn
                ? fmt::format("{:>10} {:>21}  {:>10} {:>24}", rate(p.throughput), interval_text(row.throughput, rate),
                              latency, interval_text(row.latency, duration))
                : fmt::format("{:>10} {:>10}", rate(p.throughput), latency);
    text += "  " + bar(shown(row, draws_latency), draws_latency ? p.latency : p.throughput, largest) + '\n';
    extrapolated.insert(row.extrapolated.begin(), row.extrapolated.end());
    assumed.insert(row.assumed.begin(), row.assumed.end());
  }
  const auto names = [](const std::set<std::string>& of) {
    return printable(listed(std::vector<std::string>(of.begin(), of.end())));
  };
  if (!extrapolated.empty())
    text += fmt::format("    * never observed on as many cores: {}{}\n", names(extrapolated),
                        assumed.empty() ? "" : "; alpha is assumed: " + names(assumed));
  const core_limit& limit = table.limit;
  if (limit.cores > 0)
    text += fmt::format(
        "\ncores pay up to {}{}: beyond, one adds {} of what each of the first adds, less than {}\n", limit.cores,
        limit.between.low < limit.between.high
            ? fmt::format(" ({:.0f} to {:.0f} in nine of ten draws)", limit.between.low, limit.between.high)
            : "",
        percentage(100 * limit.next_adds), percentage(100 * table.worth));
  else if (limit.is_open)
    text += fmt::format("\n{}\n", limit.why_not);
  else
    text += fmt::format("\nup to which number cores pay is not known: {}\n", printable(limit.why_not));
  for (const std::string& note : table.notes)
    text += fmt::format("{}note: {}\n", &note == &table.notes.front() ? "\n" : "", printable(note));
  return text;
}

namespace {

json table_json(const cores_table& table) {
  const auto interval = [](const interval90& of) { return json{number(of.low), number(of.high)}; };
  const core_limit& limit = table.limit;
  json all{{"file", table.path},
           {"kind", table.kind},
           {"machine", table.learnt_on.empty() ? json(nullptr) : json(table.learnt_on)},
           {"objective", table.objective.empty() ? json(nullptr) : json(table.objective)},
           {"mapping", table.where.empty() ? json(nullptr) : json(table.where)},
           {"rate", number(table.at.rate)},
           {"worth", table.worth},
           {"pays_up_to", limit.cores > 0 ? json(limit.cores) : json(nullptr)},
           {"pays_interval90", limit.cores > 0 ? interval(limit.between) : json(nullptr)},
           {"next_adds", number(limit.next_adds)},
           {"why_not", limit.why_not},
           {"notes", table.notes},
           {"rows", json::array()}};
  for (const cores_row& row : table.rows) {
    json one{{"cores", row.cores}, {"found", row.placed.has_value()}};
    if (row.placed) {
      const network_prediction& p = row.predicted();
      one["throughput_per_second"] = number(p.throughput);
      one["throughput_interval90"] = interval(row.throughput);
      one["latency_seconds"] = number(p.latency);
      one["latency_interval90"] = interval(row.latency);
      one["bottleneck"] = p.bottleneck;
      one["cores_used"] = row.placed->found.where.used().size();
      one["extrapolated"] = row.extrapolated;
      one["assumed"] = row.assumed;
    }
    all["rows"].push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string cores_json(const cores_table& table) { return json_text(table_json(table)); }

std::string runs_json(const std::string& folder, const std::vector<cores_table>& runs) {
  json all{{"folder", folder}, {"runs", json::array()}};
  for (const cores_table& one : runs) all["runs"].push_back(table_json(one));
  return json_text(all);
}

}  // namespace weir::program
