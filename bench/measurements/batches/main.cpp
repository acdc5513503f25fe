// Batches whose size is learnt, against every fixed answer that the costs allow. An engine is emulated: an invocation
// sleeps for a time that depends on its number of records.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include "bench/support/quantile.hpp"

namespace {

using namespace weir;
using json = nlohmann::ordered_json;
using clock_type = std::chrono::steady_clock;

constexpr tag id("id");
constexpr int most = 64, lanes = 2;

// Seconds of an invocation, by its records.
struct cost {
  const char* name;
  std::function<double(double)> units;
};
constexpr double unit = 0.5e-3;

const std::array<cost, 8> costs{{
    {"10", [](double) { return 10.0; }},
    {"2 n", [](double n) { return 2 * n; }},
    {"8 + n", [](double n) { return 8 + n; }},
    {"3 for each 8", [](double n) { return 3 * std::ceil(n / 8) + 0.05 * n; }},
    {"3 for each 12", [](double n) { return 3 * std::ceil(n / 12) + 0.05 * n; }},
    {"30 + n + n^2/20", [](double n) { return 30 + n + 0.05 * n * n; }},
    {"4 + n, 2.5 n above 24", [](double n) { return n <= 24 ? 4 + n : 28 + 2.5 * (n - 24); }},
    {"n^0.8", [](double n) { return std::pow(n, 0.8); }},
}};

int best_size(const cost& of) {
  int best = 1;
  for (int n = 1; n <= most; ++n)
    if (of.units(n) / n < of.units(best) / best * (1 - 1e-9)) best = n;
  return best;
}

double now() { return std::chrono::duration<double>(clock_type::now().time_since_epoch()).count(); }

network engine(const cost& of, int size, bool is_fixed) {
  auto made = box("engine", takes(id), gives(id), [&of](std::span<const std::int64_t> all) {
    std::this_thread::sleep_for(std::chrono::duration<double>(unit * of.units(static_cast<double>(all.size()))));
    return std::vector<std::int64_t>(all.begin(), all.end());
  });
  return (is_fixed ? made.batched(size, fixed_size) : made.batched(size)).sequential().width(lanes);
}

options machine_of_lanes() {
  options o;
  o.machine = machine::synthetic(fmt::format("core:{} pu:1", lanes));
  o.learn_from = measured_time::wall;
  return o;
}

// Records a second when as many are sent as fit, from the first to the last quarter of the results.
double throughput_of(const network& net, std::int64_t count) {
  execution run = start(net, machine_of_lanes());
  std::thread sender([&] {
    for (std::int64_t i = 0; i < count; ++i) run.send(id = i);
    run.close();
  });
  std::int64_t results = 0;
  double began = 0;
  for (const record& r : run) {
    (void)r;
    if (++results == count / 4) began = now();
  }
  const double seconds = now() - began;
  sender.join();
  return static_cast<double>(results - count / 4) / seconds;
}

// Latencies at a rate of arrivals that are independent of each other, without those of the first quarter.
std::vector<double> latencies_of(const network& net, const options& how, double rate, std::int64_t count) {
  execution run = start(net, how);
  std::vector<double> sent(static_cast<std::size_t>(count));
  std::thread sender([&] {
    std::mt19937_64 random(3);
    std::exponential_distribution<double> between(rate);
    double at = now();
    for (std::int64_t i = 0; i < count; ++i) {
      at += between(random);
      std::this_thread::sleep_for(std::chrono::duration<double>(at - now()));
      sent[static_cast<std::size_t>(i)] = at;
      run.send(id = i);
    }
    run.close();
  });
  std::vector<double> all;
  for (const record& r : run)
    if (r[id] >= count / 4) all.push_back(now() - sent[static_cast<std::size_t>(r[id])]);
  sender.join();
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Batches whose size is learnt, against the best fixed sizes"};
  std::int64_t records = 6000, requests = 4000;
  int repeat = 3;
  double goal = 0.1;
  bool as_json = false;
  app.add_option("--records", records, "Records of a run for throughput")
      ->capture_default_str()
      ->check(CLI::Range(100, 1000000));
  app.add_option("--requests", requests, "Records of a run for latency")
      ->capture_default_str()
      ->check(CLI::Range(100, 1000000));
  app.add_option("--repeat", repeat, "Runs of each way, in turns")->capture_default_str()->check(CLI::Range(1, 99));
  app.add_option("--goal", goal, "The wanted p99, in seconds")->capture_default_str()->check(CLI::Range(1e-3, 100.0));
  app.add_flag("--json", as_json, "Print JSON");
  CLI11_PARSE(app, argc, argv);

  json rows = json::array();
  for (const cost& of : costs) {
    const int best = best_size(of);
    const std::array<network, 3> ways{engine(of, most, false), engine(of, best, true), engine(of, 1, false)};
    std::array<std::vector<double>, 3> rates;
    const double expected = lanes * best / (unit * of.units(best));
    const auto count = std::clamp(static_cast<std::int64_t>(expected * 3), records / 4, records * 4);
    for (int i = 0; i < repeat; ++i)
      for (std::size_t w = 0; w < ways.size(); ++w)
        rates[w].push_back(throughput_of(ways[w], w == 2 ? std::max<std::int64_t>(100, count / best) : count));
    const auto median = [&](std::size_t w) { return program::quantile(rates[w], 0.5); };
    rows.push_back({{"cost", of.name},
                    {"best_size", best},
                    {"best_possible_per_second", expected},
                    {"learnt_over_best", median(0) / expected},
                    {"fixed_over_best", median(1) / expected},
                    {"single_over_best", median(2) / expected}});
    if (!as_json)
      fmt::print("{:22} best size {:2}: of the best possible, learnt {:.3f}, fixed {:.3f}, single records {:.3f}\n",
                 of.name, best, median(0) / expected, median(1) / expected, median(2) / expected);
  }

  const cost& of = costs[2];
  const double capacity = lanes * most / (unit * of.units(most));
  json latency = json::array();
  for (const double load : {0.1, 0.5, 0.8}) {
    options meets = machine_of_lanes();
    meets.policy = adaptive{objective::fewest_cores({load * capacity, std::chrono::duration<double>(goal)})};
    struct way {
      const char* name;
      network net;
      options how;
    };
    const std::array<way, 4> ways{{{"learnt", engine(of, most, false), machine_of_lanes()},
                                   {"learnt, fewest cores for the p99", engine(of, most, false), meets},
                                   {"16, fixed", engine(of, 16, true), machine_of_lanes()},
                                   {"single records", engine(of, 1, false), machine_of_lanes()}}};
    for (const way& w : ways) {
      std::vector<double> p50, p99;
      for (int i = 0; i < repeat; ++i) {
        // Single records have no chance beyond their own capacity, and their queue would grow for ever.
        if (w.name == ways[3].name && load * capacity > lanes / (unit * of.units(1))) continue;
        const std::vector<double> all = latencies_of(w.net, w.how, load * capacity, requests);
        p50.push_back(program::quantile(all, 0.5));
        p99.push_back(program::quantile(all, 0.99));
      }
      if (p50.empty()) continue;
      const double middle = program::quantile(p50, 0.5), tail = program::quantile(p99, 0.5);
      latency.push_back({{"load", load}, {"way", w.name}, {"p50", middle}, {"p99", tail}});
      if (!as_json)
        fmt::print("load {:.1f}, {:34} p50 {:6.1f} ms, p99 {:6.1f} ms\n", load, w.name, 1e3 * middle, 1e3 * tail);
    }
  }
  if (as_json)
    fmt::print("{}\n",
               json{{"lanes", lanes}, {"unit", unit}, {"goal", goal}, {"rows", rows}, {"latency", latency}}.dump(2));
}
