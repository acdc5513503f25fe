// field_slow_writer: large events, made faster than they are written. Peak memory, memory over time and events a
// second.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "bench/field/common/comparison.hpp"
#include "bench/field/slow_writer/ways.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/program.hpp"
#include "bench/support/quantile.hpp"

namespace {

using namespace weir::field_bench;
using namespace weir::field_bench::slow_writer;
using json = nlohmann::ordered_json;

int run(const setting& what, int rounds, bool as_json, const std::optional<std::string>& report) {
  if (report) {
    const weir::program::output_file file("--report", *report);
    file.write(weir_report(what));
    return 0;
  }
  const std::vector<std::string> names = way_names();
  std::vector<std::vector<outcome>> seen(names.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t now = (i + static_cast<std::size_t>(round)) % names.size();
      seen[now].push_back(run_alone(names[now], what));
      if (seen[now].back().written != what.events) throw std::runtime_error(names[now] + ": events were lost");
    }
  json rows = json::array();
  const double limit = what.writers / what.write_seconds;
  if (!as_json)
    fmt::print("{}\n{} events of {:.1f} MB, {} writers of {:g} s: at most {:.1f} events a second\n", where_measured(),
               what.events, static_cast<double>(what.event_bytes) / 1e6, what.writers, what.write_seconds, limit);
  for (std::size_t w = 0; w < names.size(); ++w) {
    std::vector<double> rates, peaks, resident;
    for (const outcome& o : seen[w]) {
      rates.push_back(o.written / o.seconds / limit);
      peaks.push_back(o.peak_mb);
      resident.push_back(o.peak_resident_mb);
    }
    const auto median = [](const std::vector<double>& v) { return weir::program::quantile(v, 0.5); };
    rows.push_back({{"way", names[w]},
                    {"over_limit", rates},
                    {"peak_mb", peaks},
                    {"peak_resident_mb", resident},
                    {"resident_mb_over_time", seen[w].back().resident_mb}});
    if (!as_json)
      fmt::print(
          "  {:<26} {:.3f} of it, peak {:>6.0f} MB of events, {:>6.0f} MB resident ({:.0f} .. {:.0f}), over time "
          "{:.0f}\n",
          names[w], median(rates), median(peaks), median(resident), weir::program::quantile(resident, 0),
          weir::program::quantile(resident, 1), fmt::join(seen[w].back().resident_mb, " "));
  }
  if (as_json) fmt::print("{}\n", json{{"where", where_measured()}, {"events", what.events}, {"ways", rows}}.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Large events in front of a slow writer: memory over time"};
  setting what;
  int rounds = 3;
  bool as_json = false;
  std::optional<std::string> report;
  app.add_option("--events", what.events, "Of a run")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--bytes", what.event_bytes, "Of an event")->check(CLI::Range(1, 1000000000))->capture_default_str();
  app.add_option("--in-flight", what.most_in_flight, "Events, for the ways with a limit")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--write-seconds", what.write_seconds, "Of an event")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  app.add_option("--rounds", rounds, "Runs of each way, in turns")->check(CLI::Range(1, 99))->capture_default_str();
  app.add_option("--report", report, "Only one run of weir with --in-flight: its report, JSON in a file");
  app.add_flag("--json", as_json, "Print JSON");
  return weir::program::run_program(app, argc, argv, [&] { return run(what, rounds, as_json, report); });
}
