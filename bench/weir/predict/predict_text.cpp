#include "bench/weir/predict/predict_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

std::string observed(const description& d) {
  if (d.observations == 0) return "";
  const auto span = [](auto low, auto high) {
    return low == high ? fmt::format("{}", low) : fmt::format("{} .. {}", low, high);
  };
  return fmt::format("  observed: x = {}, cores = {}\n", span(d.smallest_x, d.largest_x),
                     span(d.smallest_cores, d.largest_cores));
}

std::string interval(const table_row& row) {
  return std::isfinite(row.high) ? fmt::format("{} .. {}", duration(row.low), duration(row.high)) : "-";
}

std::string line(const table_row& row) {
  return fmt::format("  {:>10}  {:>5}  {:>9}  {:>9}  {:>9}  {:>21}  {:>7}{}\n", row.x, row.cores, duration(row.seconds),
                     duration(row.sd), std::isfinite(row.p99) ? duration(row.p99) : "-", interval(row),
                     std::isfinite(row.speedup) ? fmt::format("{:.2f}", row.speedup) : "-",
                     row.extrapolates ? "  extrapolated" : "");
}

std::string best(const table_row& row, const predicted_component& of) {
  const char* const why = !of.run.empty()          ? ": nothing tells yet which run of the folder fits"
                          : !of.learnt.alpha_known ? ": what further cores bring is assumed, not learnt"
                                                   : "";
  if (row.cores == 0) return fmt::format("  best at x = {}: not known{}\n", row.x, why);
  return fmt::format("  best at x = {}: {}, {}{}\n", row.x, counted(static_cast<std::uint64_t>(row.cores), "core"),
                     duration(row.seconds), row.extrapolates ? " (outside of what was observed)" : "");
}

}  // namespace

std::string predict_text(const std::vector<predicted_component>& components) {
  std::string text;
  for (const predicted_component& c : components) {
    text += fmt::format("{}{}{}: {}{}\n  {}\n", text.empty() ? "" : "\n", printable(c.name),
                        c.run.empty() ? "" : " of " + printable(c.run), c.estimator,
                        c.degree < 0 ? "" : fmt::format(", degree {}", c.degree), c.learnt.words);
    if (!c.machine.empty()) text += fmt::format("  learnt on {}\n", printable(c.machine));
    text += observed(c.learnt);
    text += fmt::format("  {:>10}  {:>5}  {:>9}  {:>9}  {:>9}  {:>21}  {:>7}\n", "x", "cores", "T", "sd", "p99",
                        "90 % within", "speedup");
    for (const table_row& row : c.table) text += line(row);
    for (const table_row& row : c.best) text += best(row, c);
  }
  return text;
}

}  // namespace weir::program
