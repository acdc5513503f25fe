// estimators: the errors of each estimator on known costs, after few and many observations.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/measurements/estimators/contest.hpp"
#include "bench/measurements/estimators/priors.hpp"
#include "bench/support/program.hpp"

namespace {

using namespace weir::bench;
using nlohmann::ordered_json;

// Constants of the estimators were chosen on the tuning seeds; reported results use the other seeds.
constexpr std::uint64_t tuning_seed = 1, reporting_seed = 1'000'001;

struct request {
  int trials = 400;
  bool tuning = false, ablation = false, priors = false, json = false;
  std::string only, who;
};

using scores = std::array<score, stop_list{}.size()>;

void print_heading(question of) {
  fmt::print("{:<20} {:<23}", "question", "estimator");
  for (const int n : stops_of(of)) fmt::print(" {:>13}", n);
  fmt::print("   covered\n");
}

void print_row(const std::string& question, const std::string& name, const scores& row) {
  fmt::print("{:<20} {:<23}", question, name);
  for (const score& s : row)
    fmt::print(" {:>13}", fmt::format("{:.1f}/{:.{}f}", s.median, s.p95, s.p95 < 99.95 ? 1 : 0));
  fmt::print("  ");
  for (const score& s : row) fmt::print(" {:.0f}", s.covered);
  fmt::print("\n");
  std::fflush(stdout);
}

ordered_json as_json(question of, const std::string& name, const scores& row) {
  ordered_json j{{"question", to_string(of)}, {"estimator", name}, {"after", ordered_json::array()}};
  for (std::size_t i = 0; i < row.size(); ++i)
    j["after"].push_back({{"observations", stops_of(of)[i]},
                          {"median_percent", row[i].median},
                          {"p95_percent", row[i].p95},
                          {"covered_percent", row[i].covered}});
  return j;
}

// Questions of one predictor whose cost does not change while it is observed, and of which all x and p are asked.
int run_priors(const request& asked, std::uint64_t seed) {
  ordered_json all{{"trials", asked.trials}, {"first_seed", seed}, {"rows", ordered_json::array()}};
  if (!asked.json)
    fmt::print("{:<14} {:<23} {:>13} {:>13} {:>13} {:>13} {:>13}   covered   same run in use\n", "question",
               "begins with", 5, 10, 20, 50, 100);
  for (int i = 0; i < static_cast<int>(question::log_normal); ++i) {
    const auto q = static_cast<question>(i);
    if (q >= question::level && q <= question::twice_contention) continue;
    if (to_string(q).find(asked.only) == std::string::npos) continue;
    for (int s = 0; s < starts; ++s) {
      const auto start = static_cast<start_from>(s);
      const prior_scores row = answer_from(q, start, seed, asked.trials);
      if (!asked.json) {
        fmt::print("{:<14} {:<23}", to_string(q), to_string(start));
        for (const score& one : row.after) fmt::print(" {:>13}", fmt::format("{:.1f}/{:.1f}", one.median, one.p95));
        fmt::print("  ");
        for (const score& one : row.after) fmt::print(" {:.0f}", one.covered);
        fmt::print("  ");
        for (const double part : row.same_chosen) fmt::print(" {:.0f}", part);
        fmt::print("\n");
        std::fflush(stdout);
        continue;
      }
      ordered_json j{{"question", to_string(q)}, {"begins_with", to_string(start)}, {"after", ordered_json::array()}};
      for (std::size_t at = 0; at < prior_stops.size(); ++at)
        j["after"].push_back({{"observations", prior_stops[at]},
                              {"median_percent", row.after[at].median},
                              {"p95_percent", row.after[at].p95},
                              {"covered_percent", row.after[at].covered},
                              {"same_run_in_use_percent", row.same_chosen[at]}});
      all["rows"].push_back(std::move(j));
    }
  }
  if (asked.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

int run(const request& asked) {
  const std::uint64_t seed = asked.tuning ? tuning_seed : reporting_seed;
  if (asked.priors) return run_priors(asked, seed);
  ordered_json all{{"trials", asked.trials}, {"first_seed", seed}, {"rows", ordered_json::array()}};
  if (!asked.json) {
    fmt::print(
        "median/p95 of |predicted - true| / true in percent by number of observations, and percent of noisy times\n"
        "inside the 90 % interval; {} costs a row, {} seeds\n\n",
        asked.trials, asked.tuning ? "tuning" : "reporting");
  }
  for (int i = 0; i < questions; ++i) {
    const auto q = static_cast<question>(i);
    if (to_string(q).find(asked.only) == std::string::npos) continue;
    if (!asked.json && (i == 0 || stops_of(q) != stops_of(static_cast<question>(i - 1)))) print_heading(q);
    if (asked.ablation && q >= question::product) continue;
    for (const contestant& who : asked.ablation ? every_ablation() : every_estimator(q)) {
      if (who.name.find(asked.who) == std::string::npos) continue;
      const auto row = answer(q, who, seed, asked.trials);
      if (asked.json)
        all["rows"].push_back(as_json(q, who.name, row));
      else
        print_row(to_string(q), who.name, row);
    }
  }
  if (asked.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What each estimator makes of costs that are known", "estimators");
  request asked;
  app.add_option("--trials", asked.trials, "Costs a row")->capture_default_str()->check(CLI::Range(1, 100000));
  app.add_option("--only", asked.only, "Only questions whose name contains this");
  app.add_option("--estimator", asked.who, "Only estimators whose name contains this");
  app.add_flag("--tuning", asked.tuning, "The seeds on which constants are chosen");
  app.add_flag("--ablation", asked.ablation, "weir without each of its parts, instead of every estimator");
  app.add_flag("--priors", asked.priors, "weir with models of earlier runs, instead of every estimator");
  app.add_flag("--json", asked.json, "For programs");
  return weir::program::run_program(app, argc, argv, [&] { return run(asked); });
}
