#include "bench/corpus/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"
#include "bench/support/readable.hpp"

namespace weir::corpus {
namespace {

using nlohmann::ordered_json;
constexpr const char* ours = "weir adaptive";

bool is_fixed(const run_result& run) { return run.way == "weir shared" || run.way.starts_with("weir fixed:"); }

std::vector<std::string> ways_in(const compare_report& report) {
  std::vector<std::string> ways;
  for (const run_result& r : report.runs)
    if (std::find(ways.begin(), ways.end(), r.way) == ways.end()) ways.push_back(r.way);
  return ways;
}

template <class F>
std::vector<double> values_of(const compare_report& report, const std::string& way, F value) {
  std::vector<double> all;
  for (const run_result& r : report.runs)
    if (r.way == way) all.push_back(value(r));
  return all;
}

template <class F>
double median_of(const compare_report& report, const std::string& way, F value) {
  return program::quantile(values_of(report, way, value), 0.5);
}

double rate_of(const run_result& r) { return r.pages_per_second(); }

double cores_used_by(const run_result& r) { return r.seconds > 0 ? r.cpu_seconds / r.seconds : 0; }

double ratio_to(const compare_report& report, const std::string& way) {
  std::vector<double> ratios;
  for (const run_result& r : report.runs)
    for (const run_result& ref : report.runs)
      if (r.way == way && ref.way == ours && ref.round == r.round && r.pages_per_second() > 0)
        ratios.push_back(ref.pages_per_second() / r.pages_per_second());
  return ratios.empty() ? 0 : program::quantile(ratios, 0.5);
}

}  // namespace

std::vector<way_summary> summarised(const compare_report& report) {
  std::vector<way_summary> rows;
  for (const std::string& way : ways_in(report)) {
    const std::vector<double> rates = values_of(report, way, rate_of);
    way_summary row;
    row.way = way;
    row.pages_per_second = program::quantile(rates, 0.5);
    row.least = program::quantile(rates, 0);
    row.most = program::quantile(rates, 1);
    row.ratio = ratio_to(report, way);
    row.latency_p50 = median_of(report, way, [](const run_result& r) { return r.latency_p50; });
    row.latency_p99 = median_of(report, way, [](const run_result& r) { return r.latency_p99; });
    row.cpu_seconds = median_of(report, way, [](const run_result& r) { return r.cpu_seconds; });
    row.peak_mb = median_of(report, way, [](const run_result& r) { return r.peak_mb; });
    row.cores_used = median_of(report, way, cores_used_by);
    for (const run_result& r : report.runs) row.same_output = row.same_output && (r.way != way || r.same_output);
    rows.push_back(std::move(row));
  }
  return rows;
}

void name_best_fixed(compare_report& report) {
  std::string best;
  double most = 0;
  for (const run_result& r : report.runs)
    if (is_fixed(r) && median_of(report, r.way, rate_of) > most) {
      most = median_of(report, r.way, rate_of);
      best = r.way;
    }
  for (run_result& r : report.runs)
    if (!best.empty() && r.way == best) {
      r.policy = best.substr(5);
      r.way = "weir best-fixed";
    }
}

std::string to_text(const compare_report& report) {
  const run_result& first = report.runs.front();
  std::string text =
      fmt::format("{}: {}, {}; {}, {} build{}{}\n\n", report.input, program::counted(report.documents, "document"),
                  program::counted(first.pages, "page"), program::processor_name(), program::build_type(),
                  report.rate > 0 ? fmt::format("; {:g} documents arrive a second", report.rate) : "",
                  report.interrupted ? "; interrupted" : "");
  text += fmt::format("{:<24} {:>8} {:>17} {:>9} {:>12} {:>12} {:>8} {:>6} {:>8}\n", "way", "pages/s", "min .. max",
                      "adaptive", "latency p50", "p99", "CPU s", "cores", "peak MB");
  for (const way_summary& row : summarised(report))
    text += fmt::format("{:<24} {:>8.1f} {:>17} {:>9} {:>12} {:>12} {:>8.1f} {:>6.1f} {:>8.0f}{}\n", row.way,
                        row.pages_per_second, fmt::format("{:.1f} .. {:.1f}", row.least, row.most),
                        row.ratio > 0 ? fmt::format("{:.2f}x", row.ratio) : "-", program::duration(row.latency_p50),
                        program::duration(row.latency_p99), row.cpu_seconds, row.cores_used, row.peak_mb,
                        row.same_output ? "" : "  OTHER OUTPUT");
  for (const run_result& r : report.runs)
    if (r.round == 1 && !r.policy.empty()) text += fmt::format("\nbest-fixed is {}; ", r.policy);
  text += "adaptive: how many times the pages a second of that way, in the same round; cores: CPU s a second\n";
  if (first.score) text += to_text(*first.score);
  if (first.latency_bound)
    for (const way_summary& row : summarised(report))
      text += fmt::format("{}: p99 is {} the bound of {}\n", row.way,
                          row.latency_p99 <= *first.latency_bound ? "within" : "beyond",
                          program::duration(*first.latency_bound));
  return text;
}

page_table table_of(const compare_report& report) {
  page_table table{fmt::format("{}, {}", program::counted(report.documents, "document"),
                               program::counted(report.runs.front().pages, "page")),
                   {"way", "pages/s", "min", "max", "adaptive", "latency p50", "p99", "CPU s", "cores", "peak MB"},
                   {}};
  for (const way_summary& row : summarised(report))
    table.rows.push_back({row.way, fmt::format("{:.1f}", row.pages_per_second), fmt::format("{:.1f}", row.least),
                          fmt::format("{:.1f}", row.most), row.ratio > 0 ? fmt::format("{:.2f}x", row.ratio) : "-",
                          program::duration(row.latency_p50), program::duration(row.latency_p99),
                          fmt::format("{:.1f}", row.cpu_seconds), fmt::format("{:.1f}", row.cores_used),
                          fmt::format("{:.0f}", row.peak_mb)});
  return table;
}

ordered_json to_json(const compare_report& report) {
  ordered_json all{{"input", report.input},
                   {"documents", report.documents},
                   {"rate", report.rate > 0 ? ordered_json(report.rate) : ordered_json(nullptr)},
                   {"processor", program::processor_name()},
                   {"build", program::build_type()},
                   {"interrupted", report.interrupted}};
  all["ways"] = ways_in(report);
  all["comparison"] = ordered_json::array();
  for (const way_summary& row : summarised(report))
    all["comparison"].push_back(
        {{"way", row.way},
         {"pages_per_second", {{"median", row.pages_per_second}, {"min", row.least}, {"max", row.most}}},
         {"ratio_of_adaptive", row.ratio > 0 ? ordered_json(row.ratio) : ordered_json(nullptr)},
         {"latency_seconds", {{"p50", row.latency_p50}, {"p99", row.latency_p99}}},
         {"cpu_seconds", row.cpu_seconds},
         {"cores_used", row.cores_used},
         {"peak_mb", row.peak_mb},
         {"same_output", row.same_output}});
  all["runs"] = ordered_json::array();
  for (const run_result& r : report.runs) all["runs"].push_back(to_json(r));
  return all;
}

}  // namespace weir::corpus
