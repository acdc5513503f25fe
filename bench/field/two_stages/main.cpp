// field_two_stages: two stages of unequal cost on many emulated cores. How long until the cores are divided well, how
// much comes through, and how many records wait between them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include <weir/weir.hpp>

#include "bench/field/common/comparison.hpp"
#include "bench/field/two_stages/ways.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/program.hpp"
#include "bench/support/quantile.hpp"

namespace {

using namespace weir::field_bench;
using namespace weir::field_bench::two_stages;
using json = nlohmann::ordered_json;

struct way {
  std::string name;
  std::function<outcome(const setting&)> run;
};

std::vector<way> ways_of(const setting& what) {
  const std::vector<int> best = what.best_division();
  const auto weir_by = [](weir::policy rule) { return [rule](const setting& s) { return by_weir(s, rule); }; };
  return {{"weir adaptive", weir_by(weir::adaptive{weir::objective::throughput})},
          {fmt::format("weir fixed, {}+{}", best[0], best[1]),
           weir_by(weir::fixed_shares{{"first", best[0], best[0]}, {"second", best[1], best[1]}})},
          {"weir adaptive, each_lane",
           [](const setting& s) { return by_weir(s, weir::adaptive{weir::objective::throughput}, true); }},
          {"weir equal", weir_by(weir::equal_shares{})},
          {"weir all shared", weir_by(weir::fixed_shares{})},
          {"oneTBB pipeline", by_pipeline},
          {"threads by hand", by_threads}};
}

json run_all(const setting& what, int rounds, bool as_json) {
  const std::vector<way> ways = ways_of(what);
  std::vector<std::vector<outcome>> seen(ways.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t now = (i + static_cast<std::size_t>(round)) % ways.size();
      seen[now].push_back(ways[now].run(what));
      if (static_cast<std::int64_t>(seen[now].back().ends.size()) != what.records)
        throw std::runtime_error(ways[now].name + ": records were lost");
    }
  json rows = json::array();
  if (!as_json)
    fmt::print(
        "slow start of {:g} s: records a second over {:.1f}; seconds to 0.95 of it; division; moves; waiting peak, "
        "mean\n",
        what.slow_start, what.best_rate());
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const auto of = [&](const std::function<double(const outcome&)>& value) {
      std::vector<double> all;
      for (const outcome& o : seen[w]) all.push_back(value(o));
      return all;
    };
    const auto rates = of([&](const outcome& o) { return o.per_second() / what.best_rate(); });
    const auto balanced = of([&](const outcome& o) { return o.until_balanced(what.best_rate()); });
    const outcome& last = seen[w].back();
    rows.push_back({{"way", ways[w].name},
                    {"over_best", rates},
                    {"seconds_until_balanced", balanced},
                    {"division", last.division},
                    {"moves", last.moves},
                    {"waiting_peak", last.waiting_peak},
                    {"waiting_mean", last.waiting_mean}});
    if (!as_json)
      fmt::print("  {:<24} {:.3f} ({:.3f} .. {:.3f})  [{:.0f}] s  {:>9}  {:>3}  {:.0f}, {:.1f}\n", ways[w].name,
                 weir::program::quantile(rates, 0.5), weir::program::quantile(rates, 0),
                 weir::program::quantile(rates, 1), fmt::join(balanced, ", "),
                 fmt::format("{}", fmt::join(last.division, "+")), last.moves, last.waiting_peak, last.waiting_mean);
  }
  std::fflush(stdout);
  return {{"slow_start", what.slow_start}, {"best_rate", what.best_rate()}, {"ways", rows}};
}

int run(setting what, const std::vector<double>& slow_starts, int rounds, bool as_json,
        const std::optional<std::string>& report) {
  if (report) {
    const weir::program::output_file file("--report", *report);
    what.slow_start = slow_starts.front();
    file.write(by_weir(what, weir::adaptive{weir::objective::throughput}).report);
    return 0;
  }
  json all{{"where", where_measured()}, {"cores", what.cores}, {"records", what.records}, {"runs", json::array()}};
  if (!as_json) fmt::print("{}; {} emulated cores, {} records a run\n", where_measured(), what.cores, what.records);
  for (const double slow_start : slow_starts) {
    what.slow_start = slow_start;
    all["runs"].push_back(run_all(what, rounds, as_json));
  }
  if (as_json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Two stages of unequal cost on many emulated cores"};
  setting what;
  std::vector<double> slow_starts{0, 3};
  int rounds = 3;
  bool as_json = false;
  std::optional<std::string> report;
  app.add_option("--cores", what.cores, "Emulated cores")->check(CLI::Range(2, 1024))->capture_default_str();
  app.add_option("--first", what.first, "Seconds of the first stage")
      ->check(CLI::Range(1e-3, 10.0))
      ->capture_default_str();
  app.add_option("--second", what.second, "Seconds of the second")
      ->check(CLI::Range(1e-3, 10.0))
      ->capture_default_str();
  app.add_option("--slow-start", slow_starts, "Seconds of a thread before its first record in the second, by commas")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 60.0));
  app.add_option("--records", what.records, "Of a run")->check(CLI::Range(10, 10000000))->capture_default_str();
  app.add_option("--rounds", rounds, "Runs of each way, in turns")->check(CLI::Range(1, 99))->capture_default_str();
  app.add_option("--report", report, "Only one run of adaptive with the first slow start: its report, JSON in a file");
  app.add_flag("--json", as_json, "Print JSON");
  return weir::program::run_program(app, argc, argv, [&] { return run(what, slow_starts, rounds, as_json, report); });
}
