#include "bench/paper/figure_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "bench/support/output_file.hpp"

namespace weir::paper {
namespace {

constexpr std::size_t stretches_drawn = 40;

std::string number(double v) { return std::isfinite(v) ? fmt::format("{:.5g}", v) : ""; }

void write(const std::filesystem::path& folder, const std::string& family, const kernel_result& of,
           const std::string& text) {
  const auto path = folder / fmt::format("{}-{}.csv", family, of.kernel);
  program::output_file(family, path.string()).write(text);
}

std::string tseq(const kernel_result& of) {
  std::string text = "x,measured,fitted\n";
  for (const timed_row& p : of.seen)
    if (p.cores == 1)
      text += fmt::format("{},{},{}\n", p.x, number(p.seconds), number(of.models[highest]->predict(p.x, 1).sequential));
  return text;
}

// One line per x, one column per number of cores.
template <typename Points, typename Value>
std::string by_cores(const Points& points, const Value& value) {
  std::set<int> cores;
  std::map<double, std::map<int, double>> table;
  for (const auto& p : points) {
    cores.insert(p.cores);
    table[p.x][p.cores] = value(p);
  }
  std::string text = "x";
  for (const int p : cores) text += fmt::format(",p = {}", p);
  text += '\n';
  for (const auto& [x, row] : table) {
    text += fmt::format("{}", x);
    for (const int p : cores) text += ',' + (row.count(p) ? number(row.at(p)) : "");
    text += '\n';
  }
  return text;
}

std::string aggregated(const kernel_result& of) {
  std::string text = "x,measured,mean,clamped mean,highest\n";
  for (const timed_row& p : of.checked) {
    if (p.cores != of.most_cores) continue;
    text += fmt::format("{},{}", p.x, number(p.seconds));
    for (const auto& model : of.models) text += ',' + number(model->predict(p.x, p.cores).mean);
    text += '\n';
  }
  return text;
}

std::string over_time(const std::vector<stretch>& all, std::array<double, ways> stretch::*what) {
  std::string text = "observations";
  for (const char* name : way_names) text += fmt::format(",{}", name);
  text += '\n';
  for (const stretch& one : all) {
    text += fmt::format("{}", one.end);
    for (const double v : one.*what) text += ',' + number(v);
    text += '\n';
  }
  return text;
}

}  // namespace

void write_figures(const std::filesystem::path& folder, const kernel_result& of) {
  write(folder, "tseq", of, tseq(of));
  write(folder, "alpha", of, by_cores(of.alphas, [](const point_alpha& p) { return p.alpha; }));
  write(folder, "aggregations", of, aggregated(of));
  write(folder, "percent", of, by_cores(of.errors, [](const misprediction& m) { return m.percent; }));
  write(folder, "seconds", of, by_cores(of.errors, [](const misprediction& m) { return m.seconds; }));
  const auto all = stretches(of.rows, of.stream, stretches_drawn);
  write(folder, "time-percent", of, over_time(all, &stretch::percent));
  write(folder, "time-seconds", of, over_time(all, &stretch::seconds));
}

}  // namespace weir::paper
