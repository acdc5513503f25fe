// field_ferret: search for similar pictures in five stages. First all queries are there; then they arrive by a pattern.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include <weir/weir.hpp>

#include "bench/field/common/arrivals.hpp"
#include "bench/field/common/arriving.hpp"
#include "bench/field/common/comparison.hpp"
#include "bench/field/common/fixed_search.hpp"
#include "bench/field/ferret/ways.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/program.hpp"
#include "bench/support/quantile.hpp"

namespace {

using namespace weir::field_bench;
using namespace weir::field_bench::ferret;
using json = nlohmann::ordered_json;
using weir::program::quantile;

struct settings {
  arrival_settings arriving{.patterns = pattern_names()};
  std::size_t entries = 20000;
  int rounds = 3, threads = 0;
  std::uint64_t seed = 1;
  bool as_json = false;
  std::optional<std::string> report;
};

struct way {
  std::string name;
  std::function<outcome(const workload&)> run;
};

std::vector<way> ways_of(const picture_index& in, int threads, const std::vector<weir::fixed_share>& best) {
  const auto weir_by = [&in](weir::policy rule) {
    return [&in, rule](const workload& w) { return by_weir(w, in, rule); };
  };
  return {{"weir adaptive", weir_by(weir::adaptive{weir::objective::throughput})},
          {"weir fixed, by search", weir_by(weir::fixed_shares(best))},
          {"weir equal", weir_by(weir::equal_shares{})},
          {"oneTBB pipeline", [&in, threads](const workload& w) { return by_pipeline(w, in, threads); }},
#ifdef WEIR_HAS_TASKFLOW
          {"Taskflow pipeline", [&in, threads](const workload& w) { return by_taskflow(w, in, threads); }},
#endif
#ifdef WEIR_HAS_FASTFLOW
          {"FastFlow farms", [&in, threads](const workload& w) { return by_fastflow(w, in, threads); }},
#endif
          {"threads by hand", [&in, threads](const workload& w) { return by_threads(w, in, threads); }}};
}

outcome checked(const way& by, const workload& what, std::uint64_t right) {
  outcome seen = by.run(what);
  if (seen.sum != right) throw std::runtime_error(by.name + ": the ranked entries are wrong");
  return seen;
}

// All queries are there: queries a second.
std::vector<row> saturated(std::vector<way> ways, const picture_index& in, const workload& what, int rounds) {
  const std::uint64_t right = by_loop(what, in).sum;
  ways.push_back({"one loop", [&in](const workload& w) { return by_loop(w, in); }});
  std::vector<contestant> all;
  for (const way& w : ways)
    all.push_back({w.name, [&what, w, right] {
                     return static_cast<double>(what.queries) / checked(w, what, right).times.seconds;
                   }});
  return compared(all, rounds);
}

// The ways on queries that arrive, each answer checked by those of one loop.
std::vector<arrival_way> arrival_ways_of(const std::vector<way>& ways, const picture_index& in, std::uint64_t seed) {
  const auto right = std::make_shared<std::map<std::size_t, std::uint64_t>>();  // by the number of queries
  std::vector<arrival_way> all;
  for (const way& w : ways)
    all.push_back({w.name, [w, &in, seed, right](std::size_t queries, const std::vector<double>& times) {
                     if (!right->count(queries)) (*right)[queries] = by_loop({queries, seed, {}}, in).sum;
                     return checked(w, {queries, seed, times}, right->at(queries)).times;
                   }});
  return all;
}

int run(settings asked) {
  if (asked.threads == 0) asked.threads = weir::machine::local().size();
  const picture_index in(asked.entries, asked.seed);
  const workload few{100, asked.seed + 1, {}};
  const double alone = static_cast<double>(few.queries) / by_loop(few, in).times.seconds;
  const workload all{static_cast<std::size_t>(alone * asked.threads * asked.arriving.seconds / 2), asked.seed, {}};
  if (asked.report) {
    const weir::program::output_file file("--report", *asked.report);
    file.write(weir_report(all, in));
    return 0;
  }
  const found_shares found =
      searched_shares(weir_components(), {}, asked.threads, [&](const std::vector<weir::fixed_share>& shares) {
        std::vector<double> rates;
        for (int i = 0; i < 3; ++i) rates.push_back(1 / by_weir(few, in, weir::fixed_shares(shares)).times.seconds);
        return quantile(rates, 0.5);
      });
  const std::vector<way> ways = ways_of(in, asked.threads, found.best);
  const std::vector<row> rows = saturated(ways, in, all, asked.rounds);
  json report{{"where", where_measured()},
              {"queries", all.queries},
              {"saturated", to_json(rows)},
              {"searched", to_string(found.best)}};
  if (!asked.as_json)
    fmt::print("{}\n{}", where_measured(),
               to_text(fmt::format("{} queries, all there; best fixed of {}: {}", all.queries, found.tried,
                                   to_string(found.best)),
                       "queries/s", rows));
  std::fflush(stdout);
  report["arriving"] = measured_arrivals(arrival_ways_of(ways, in, asked.seed), asked.arriving, asked.rounds,
                                         rows.front().median, !asked.as_json);
  if (asked.as_json) fmt::print("{}\n", report.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Search for similar pictures, by weir and in other ways"};
  settings asked;
  add_arrival_options(app, asked.arriving);
  app.add_option("--entries", asked.entries, "Of the index")->check(CLI::Range(100, 10000000))->capture_default_str();
  app.add_option("--rounds", asked.rounds, "Runs of each way, in turns")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  app.add_option("--threads", asked.threads, "Of the rivals; 0: as many as weir has cores")->check(CLI::Range(0, 1024));
  app.add_option("--seed", asked.seed, "Of queries and index")
      ->transform(weir::program::whole_range())
      ->capture_default_str();
  app.add_option("--report", asked.report, "Only one run of adaptive, all queries there: its report, JSON in a file");
  app.add_flag("--json", asked.as_json, "Print JSON");
  return weir::program::run_program(app, argc, argv, [&] { return run(asked); });
}
