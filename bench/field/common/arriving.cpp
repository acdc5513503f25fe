#include "bench/field/common/arriving.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/field/common/arrivals.hpp"
#include "bench/support/quantile.hpp"

namespace weir::field_bench {
namespace {

using json = nlohmann::ordered_json;
using program::quantile;

constexpr double seconds_of_reference = 0.5;  // of the run that says how fast the machine is now

// The numbers of one way, one for each round.
struct measured {
  std::vector<double> over_rate, p50_ms, p99_ms;
};

json arriving(const std::vector<arrival_way>& ways, const arrival_settings& asked, int rounds, double items_per_second,
              const std::string& pattern, int load, bool is_printed) {
  const auto count_of = [](double items) { return std::max<std::size_t>(1, static_cast<std::size_t>(items)); };
  const std::size_t items = count_of(items_per_second * asked.seconds * load / 100);
  const std::size_t reference = count_of(items_per_second * seconds_of_reference);
  std::vector<measured> all(ways.size());
  json rates = json::array();
  for (int round = 0; round < rounds; ++round) {
    const double rate = static_cast<double>(reference) / ways.front().run(reference, {}).seconds * load / 100;
    const std::vector<double> times = arrivals(pattern, items, rate);
    rates.push_back(rate);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t now = (i + static_cast<std::size_t>(round)) % ways.size();
      const run_times seen = ways[now].run(items, times);
      all[now].over_rate.push_back(static_cast<double>(items) / seen.seconds / rate);
      all[now].p50_ms.push_back(1e3 * quantile(seen.latencies, 0.5));
      all[now].p99_ms.push_back(1e3 * quantile(seen.latencies, 0.99));
    }
  }
  json rows = json::array();
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const measured& m = all[w];
    rows.push_back({{"way", ways[w].name}, {"over_rate", m.over_rate}, {"p50_ms", m.p50_ms}, {"p99_ms", m.p99_ms}});
    if (is_printed)
      fmt::print("  {:<11} {:>3} %  {:<22} {:.3f} of the rate, p50 {:>7.1f} ms, p99 {:>7.1f} ms ({:.1f} .. {:.1f})\n",
                 pattern, load, ways[w].name, quantile(m.over_rate, 0.5), quantile(m.p50_ms, 0.5),
                 quantile(m.p99_ms, 0.5), quantile(m.p99_ms, 0), quantile(m.p99_ms, 1));
  }
  std::fflush(stdout);
  return {{"pattern", pattern}, {"load_percent", load}, {"items", items}, {"rates", rates}, {"ways", rows}};
}

}  // namespace

void add_arrival_options(CLI::App& app, arrival_settings& asked) {
  app.add_option("--pattern", asked.patterns, "Patterns of arrival, by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(pattern_names()));
  app.add_option("--load", asked.loads, "Mean rates, in percent of adaptive's items a second, by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 500));
  app.add_option("--seconds", asked.seconds, "Of a run with arrivals")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
}

json measured_arrivals(const std::vector<arrival_way>& ways, const arrival_settings& asked, int rounds,
                       double items_per_second, bool is_printed) {
  json all = json::array();
  for (const std::string& pattern : asked.patterns)
    for (const int load : asked.loads)
      all.push_back(arriving(ways, asked, rounds, items_per_second, pattern, load, is_printed));
  return all;
}

}  // namespace weir::field_bench
