#include "examples/logs/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include "examples/logs/ways.hpp"
#include "examples/spread.hpp"

namespace examples::logs {
namespace {

struct way {
  const char* name;
  summary (*go)(const std::filesystem::path&, std::size_t);
  std::vector<double> runs_per_second;
};

// Each value of a, times `factor`, or divided by that of b.
std::vector<double> scaled(std::vector<double> a, double factor) {
  for (double& each : a) each *= factor;
  return a;
}
std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  std::transform(a.begin(), a.end(), b.begin(), std::back_inserter(result), std::divides<>{});
  return result;
}

std::int64_t lines_in(const std::filesystem::path& log) {
  std::ifstream file(log, std::ios::binary);
  return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

}  // namespace

void print_comparison(std::ostream& to, const std::filesystem::path& log, std::size_t most, int rounds, bool lines) {
  std::vector<way> ways{{"weir", by_weir, {}}, {"pipeline", by_pipeline, {}}};
  if (lines) ways.push_back({"lines", by_lines, {}});
  const summary expected = by_pipeline(log, most);
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      way& next = ways[(i + static_cast<std::size_t>(round)) % ways.size()];
      const auto begin = std::chrono::steady_clock::now();
      const bool same = next.go(log, most) == expected;
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (!same) throw std::runtime_error(std::string(next.name) + " and pipeline count differently");
      if (round > 0) next.runs_per_second.push_back(1 / took.count());
    }
  }
  const double megabytes = static_cast<double>(std::filesystem::file_size(log)) / 1e6;
  const auto of_lines = static_cast<double>(lines_in(log));
  to << std::fixed << std::setprecision(1) << "MB/s            median       least        most\n";
  for (const way& each : ways)
    to << std::left << std::setw(10) << each.name << std::right << spread(scaled(each.runs_per_second, megabytes))
       << '\n';
  to << std::setprecision(0) << "lines/s\n";
  for (const way& each : ways)
    to << std::left << std::setw(10) << each.name << std::right << spread(scaled(each.runs_per_second, of_lines))
       << '\n';
  to << std::setprecision(3) << "over pipeline\n";
  for (const way& each : ways)
    if (each.go != by_pipeline)
      to << std::left << std::setw(10) << each.name << std::right
         << spread(ratios(each.runs_per_second, ways[1].runs_per_second)) << '\n';
}

}  // namespace examples::logs
