// Whether a second core pays, or costs, where boxes are short: drawn networks on one core and on two.

#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/measurements/second_core/random_network.hpp"
#include "bench/support/quantile.hpp"
#include "bench/support/self.hpp"

namespace {

using namespace weir;

// Records a second, from the start until all have left.
double rate(std::uint64_t seed, double seconds) {
  std::atomic<std::int64_t> emitted{0};
  const network net = second_core::source_for(seconds, emitted) >> second_core::draw(seed).body;
  const auto began = std::chrono::steady_clock::now();
  execution run = start(net);
  run.close();
  for (const record& r : run) (void)r;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return static_cast<double>(emitted) / took.count();
}

// On this many of the cores that the process may use.
void use_cores(int count) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &all) && --count < 0) CPU_CLR(i, &all);
  sched_setaffinity(0, sizeof all, &all);
}

struct row {
  std::uint64_t seed;
  double one, two;
  double ratio() const { return two / one; }
};

double rate_on(std::uint64_t seed, int cores, double seconds, const std::string& under) {
  const auto out = program::output_of_self(
      fmt::format("--only {} --cores {} --seconds {} 2> /dev/null", seed, cores, seconds), under);
  return std::stod(out);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Records a second of drawn networks of short boxes, on one core and on two");
  int networks = 40, rounds = 3, cores = 0, worst = 10;
  std::uint64_t first = 1, only = 0;
  double seconds = 0.3;
  std::string under;
  app.add_option("--networks", networks)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--first", first, "the first seed")->capture_default_str();
  app.add_option("--rounds", rounds, "of one core and two, in turns; medians are printed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", seconds, "of a run")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--worst", worst, "networks to print")->capture_default_str();
  app.add_option("--under", under, "a command that starts each run, such as \"chrt -f 10\"");
  app.add_option("--only", only, "the network of this seed once; prints its records a second");
  app.add_option("--cores", cores, "with --only");
  CLI11_PARSE(app, argc, argv);
  if (app.count("--only")) {
    if (cores > 0) use_cores(cores);
    fmt::print("{}\n", rate(only, seconds));
    return 0;
  }

  std::vector<row> rows;
  for (int i = 0; i < networks; ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    std::vector<double> one, two;
    for (int r = 0; r < rounds; ++r) {
      one.push_back(rate_on(seed, 1, seconds, under));
      two.push_back(rate_on(seed, 2, seconds, under));
    }
    rows.push_back({seed, program::quantile(one, 0.5), program::quantile(two, 0.5)});
  }
  std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.ratio() < b.ratio(); });
  std::vector<double> ratios;
  for (const row& r : rows) ratios.push_back(r.ratio());
  fmt::print(
      "Two cores over one, of {} networks: least {:.2f}, quarters {:.2f} {:.2f} {:.2f}, most {:.2f}; {} below 0.97\n",
      networks, ratios.front(), program::quantile(ratios, 0.25), program::quantile(ratios, 0.5),
      program::quantile(ratios, 0.75), ratios.back(),
      std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 0.97; }));
  for (const row& r : rows) {
    if (worst-- <= 0) break;
    fmt::print("{:.2f} {:5}: {:.0f} and {:.0f} records a second: {}\n", r.ratio(), r.seed, r.one, r.two,
               second_core::draw(r.seed).text);
  }
}
