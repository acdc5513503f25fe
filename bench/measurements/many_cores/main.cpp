// stages: chains of real kernels on all cores: adaptive, and what else one would do with the cores. In interleaved
// rounds, each way in this process; the results of all ways are the same, or it says WRONG. After --seconds it ends
// with the rounds that it has.

#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "bench/measurements/many_cores/programs.hpp"
#include "bench/measurements/many_cores/ways.hpp"
#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"

namespace {

using namespace weir::many_cores;
using json = nlohmann::ordered_json;
using clock_type = std::chrono::steady_clock;

struct settings {
  std::vector<std::string> programs;
  int cores = 0, rounds = 5;
  double seconds = 60, of_a_run = 1;
  std::string out, machine = "local";
};

struct way {
  std::string name;
  std::function<outcome()> run;
  std::vector<double> rates, moves;
};

double since(clock_type::time_point begin) { return std::chrono::duration<double>(clock_type::now() - begin).count(); }

// From now on the process has the first `count` of its cores.
void keep_to(int count) {
  cpu_set_t all, few;
  CPU_ZERO(&few);
  sched_getaffinity(0, sizeof all, &all);
  for (int core = 0; core < CPU_SETSIZE && count > 0; ++core)
    if (CPU_ISSET(core, &all)) {
      CPU_SET(core, &few);
      --count;
    }
  sched_setaffinity(0, sizeof few, &few);
}

std::vector<way> ways_of(const program& what, std::int64_t records, const weir::machine& on, const division& searched) {
  const auto by = [&what, records, on](const weir::policy& rule) {
    return [&what, records, rule, on] { return run_by_weir(what, records, rule, on); };
  };
  return {
      {"adaptive", by(weir::adaptive{weir::objective::throughput}), {}, {}},
      {"equal", by(weir::equal_shares{}), {}, {}},
      {"best fixed by profile", by(weir::best_fixed{weir::objective::throughput}), {}, {}},
      {"best fixed by search", by(policy_of(what, searched)), {}, {}},
      {"work stealing", [&what, records, cores = on.size()] { return run_by_stealing(what, records, cores); }, {}, {}}};
}

json measured(const program& what, const settings& asked, const weir::machine& on, double allowed) {
  const int cores = on.size();
  const auto begin = clock_type::now();
  const std::vector<double> alone = stage_seconds(what, asked.of_a_run < 1 ? 16 : 48, 1);
  const double of_one = std::accumulate(alone.begin(), alone.end(), 0.0);
  const auto records = std::max<std::int64_t>(16, std::llround(asked.of_a_run * cores / of_one));
  const found_division searched =
      searched_division(what, std::max<std::int64_t>(8, records / 4), on, alone, allowed / 4);
  std::vector<way> ways = ways_of(what, records, on, searched.best);
  const std::uint64_t right = run_by_stealing(what, records, cores).sum;
  std::vector<double> one_core;  // records a second, by round
  int rounds = 0, wrong = 0;
  for (double longest = 0; rounds < asked.rounds && (rounds == 0 || since(begin) + longest < allowed); ++rounds) {
    const auto round = clock_type::now();
    const std::vector<double> seconds = stage_seconds(what, 16, 1);
    one_core.push_back(1 / std::accumulate(seconds.begin(), seconds.end(), 0.0));
    for (way& w : ways) {
      const outcome seen = w.run();
      wrong += seen.sum != right;
      w.rates.push_back(seen.records_per_second);
      w.moves.push_back(seen.moves);
    }
    longest = std::max(longest, since(round));
  }
  fmt::print("{} on {} cores: {}\n  {} records a run, {} rounds{}; alone on one core", what.name, cores, what.about,
             records, rounds, rounds < asked.rounds ? " of " + std::to_string(asked.rounds) : "");
  json stages = json::array();
  for (std::size_t s = 0; s < alone.size(); ++s) {
    fmt::print("{} {} {:.3g} ms", s > 0 ? "," : "", what.stages[s].name, 1e3 * alone[s]);
    stages.push_back({{"name", what.stages[s].name}, {"alone_seconds", alone[s]}});
  }
  fmt::print("\n  {:<24} {:>10} {:>21} {:>9} {:>9} {:>6}\n", "", "records/s", "min .. max", "x 1 core", "adaptive",
             "moves");
  json rows = json::array();
  for (const way& w : ways) {
    std::vector<double> ratios, over_one;
    for (std::size_t r = 0; r < w.rates.size(); ++r) {
      ratios.push_back(ways[0].rates[r] / w.rates[r]);
      over_one.push_back(w.rates[r] / one_core[r]);
    }
    const auto at = [&](double q) { return weir::program::quantile(w.rates, q); };
    const double ratio = weir::program::quantile(ratios, 0.5), moves = weir::program::quantile(w.moves, 0.5);
    fmt::print("  {:<24} {:>10.4g} {:>21} {:>9.2f} {:>8.3f}x {:>6.0f}\n", w.name, at(0.5),
               fmt::format("{:.4g} .. {:.4g}", at(0), at(1)), weir::program::quantile(over_one, 0.5), ratio, moves);
    rows.push_back({{"way", w.name}, {"records_per_second", w.rates}, {"ratio_of_adaptive", ratio}, {"moves", moves}});
  }
  fmt::print("  by search: {}, of {} tried{}\n\n", to_string(searched.best), searched.tried,
             wrong > 0 ? fmt::format("; {} runs gave a WRONG result", wrong) : "");
  std::fflush(stdout);
  return {{"program", what.name},   {"cores", cores}, {"records", records},
          {"rounds", rounds},       {"wrong", wrong}, {"stages", stages},
          {"one_core", one_core},   {"ways", rows},   {"searched", to_string(searched.best)},
          {"tried", searched.tried}};
}

int run(const settings& asked) {
  if (asked.cores > 0) keep_to(asked.cores);
  const weir::machine on = weir::program::parse_machine(asked.machine);
  std::vector<program> programs = all_programs();
  if (!asked.programs.empty())
    std::erase_if(programs, [&](const program& p) {
      return std::find(asked.programs.begin(), asked.programs.end(), p.name) == asked.programs.end();
    });
  const auto begin = clock_type::now();
  json all{{"machine", on.summary()},
           {"processor", weir::program::processor_name()},
           {"build", weir::program::build_type()},
           {"programs", json::array()}};
  int wrong = 0;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const double left = asked.seconds - since(begin);
    if (left <= 0) break;
    all["programs"].push_back(measured(programs[p], asked, on, left / static_cast<double>(programs.size() - p)));
    wrong += all["programs"].back()["wrong"].get<int>();
    if (!asked.out.empty()) std::ofstream(asked.out) << all.dump(2);  // after each, for who stops it
  }
  return wrong > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Chains of real kernels: adaptive beside other divisions of the cores"};
  settings asked;
  std::vector<std::string> names;
  for (const program& p : all_programs()) names.push_back(p.name);
  app.add_option("--program", asked.programs, "these programs, by commas: " + fmt::format("{}", fmt::join(names, ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--cores", asked.cores, "the first cores of the machine; 0: all")->check(CLI::Range(0, 1024));
  app.add_option("--rounds", asked.rounds, "runs of each way")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seconds", asked.seconds, "of the whole, about")->capture_default_str();
  app.add_option("--run-seconds", asked.of_a_run, "of a run on all cores, about")->capture_default_str();
  app.add_option("--machine", asked.machine, "local, or an hwloc topology: a test of what few cores do not reach");
  app.add_option("--out", asked.out, "the results as JSON in a file, besides");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(asked);
  } catch (const std::exception& e) {
    fmt::print(stderr, "stages: {}\n", e.what());
    return 1;
  }
}
