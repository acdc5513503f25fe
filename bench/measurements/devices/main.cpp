// Where the records of a box with a device run: as the run learns it, against every fixed placement. The box and the
// device are emulated: an invocation sleeps for its time, on cores and a device that need not exist.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include "bench/support/quantile.hpp"

namespace {

using namespace weir;
using json = nlohmann::ordered_json;

constexpr tag size("size"), id("id"), done("done");
constexpr double smallest = 20, largest = 400;

// Seconds on cores and on the device, by the size of an input. `slower`: in the second of three phases the device takes
// so much longer.
struct curves {
  double core_each = 1e-4, start = 4e-3, device_each = 1e-5, slower = 1;
  double on_cores(double x) const { return core_each * x; }
  double on_device(double x, bool in_phase) const { return (start + device_each * x) * (in_phase ? slower : 1); }
  double crossing() const { return start / (core_each - device_each); }
};

std::vector<std::int64_t> drawn(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(std::log(smallest), std::log(largest));
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(std::lround(std::exp(exponent(random))));
  return sizes;
}

// How records are placed.
struct way {
  std::string name;
  bool has_device = true;
  std::optional<double> from;  // none: it is learnt
};

struct outcome {
  double per_second = 0;
  double crossing = std::numeric_limits<double>::quiet_NaN();
  double on_device = 0;  // part of the records
};

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

outcome run_of(const std::vector<std::int64_t>& sizes, const way& by, const curves& takes_time, int cores, int slots) {
  const device gpu{"device", slots};
  const auto in_phase = [&](std::int64_t i) {
    const auto third = static_cast<std::int64_t>(sizes.size() / 3);
    return i >= third && i < 2 * third;
  };
  auto one = box("work", takes(size, id), gives(done),
                 [&](std::int64_t x, std::int64_t i) {
                   sleep(takes_time.on_cores(static_cast<double>(x)));
                   return i;
                 })
                 .predicted_by([](std::int64_t x, std::int64_t) { return static_cast<double>(x); }, degree{1})
                 .sequential()
                 .on(gpu, [&](std::int64_t x, std::int64_t i) {
                   sleep(takes_time.on_device(static_cast<double>(x), in_phase(i)));
                   return i;
                 });
  if (by.from) one = one.device_from(*by.from);
  options o;
  o.machine = machine::synthetic(fmt::format("core:{} pu:1", cores));
  o.learn_from = measured_time::wall;
  if (by.has_device) o.devices = {gpu};
  const auto began = std::chrono::steady_clock::now();
  execution run = start(one, o);
  std::thread sender([&] {
    for (std::size_t i = 0; i < sizes.size(); ++i) run.send(size = sizes[i], id = static_cast<std::int64_t>(i));
    run.close();
  });
  std::size_t results = 0;
  for (const record& r : run) results += r[done] >= 0;
  sender.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  outcome got{static_cast<double>(results) / seconds};
  if (const run_report r = run.report(); !r.devices.empty()) {
    got.crossing = r.devices[0].crossing;
    got.on_device = static_cast<double>(r.devices[0].invocations) / static_cast<double>(results);
  }
  return got;
}

// All cores, all device, and thresholds at equal steps of the logarithm of the sizes.
std::vector<way> fixed_ways(int thresholds) {
  std::vector<way> ways{{"all cores", false, std::nullopt}, {"all device", true, 0.0}};
  for (int t = 1; t <= thresholds; ++t) {
    const double at = smallest * std::pow(largest / smallest, static_cast<double>(t) / (thresholds + 1));
    ways.push_back({fmt::format("device from {:.0f}", at), true, at});
  }
  return ways;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Where the records of a box with a device run, against every fixed placement"};
  std::size_t records = 1500;
  int repeat = 3, cores = 4, slots = 2, thresholds = 8;
  double slower = 4;
  std::uint64_t seed = 1;
  bool as_json = false;
  app.add_option("--records", records, "Records a run")->capture_default_str()->check(CLI::Range(30, 1000000));
  app.add_option("--repeat", repeat, "Runs of each way, in turns")->capture_default_str()->check(CLI::Range(1, 99));
  app.add_option("--cores", cores, "Of the emulated machine")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--slots", slots, "Of the emulated device")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--thresholds", thresholds, "Of the search")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--slower", slower, "The device's factor in the second phase")->capture_default_str();
  app.add_option("--seed", seed, "Of the inputs")->capture_default_str();
  app.add_flag("--json", as_json, "Print JSON");
  CLI11_PARSE(app, argc, argv);
  const std::vector<std::int64_t> sizes = drawn(records, seed);
  std::vector<way> ways = fixed_ways(thresholds);
  ways.push_back({"learnt", true, std::nullopt});
  json all = json::array();
  for (const bool has_phases : {false, true}) {
    curves of;
    if (has_phases) of.slower = slower;
    std::vector<std::vector<double>> rates(ways.size());
    std::vector<outcome> last(ways.size());
    for (int i = 0; i < repeat; ++i)
      for (std::size_t w = 0; w < ways.size(); ++w) {
        last[w] = run_of(sizes, ways[w], of, cores, slots);
        rates[w].push_back(last[w].per_second);
      }
    std::vector<double> medians;
    for (const auto& r : rates) medians.push_back(weir::program::quantile(r, 0.5));
    const double best = *std::max_element(medians.begin(), medians.end() - 1);
    json rows = json::array();
    for (std::size_t w = 0; w < ways.size(); ++w) {
      rows.push_back({{"way", ways[w].name},
                      {"per_second", medians[w]},
                      {"over_best_fixed", medians[w] / best},
                      {"on_device", last[w].on_device}});
      if (!as_json)
        fmt::print("{:7} {:18} {:8.1f} records a second, {:.3f} of the best fixed placement, {:.2f} on the device\n",
                   has_phases ? "phases" : "steady", ways[w].name, medians[w], medians[w] / best, last[w].on_device);
    }
    if (!as_json) fmt::print("crossing point {:.1f}, learnt {:.1f}\n", of.crossing(), last.back().crossing);
    all.push_back({{"slower", of.slower},
                   {"crossing", of.crossing()},
                   {"learnt_crossing", last.back().crossing},
                   {"rows", rows}});
  }
  if (as_json)
    fmt::print("{}\n",
               json{{"cores", cores}, {"slots", slots}, {"records", records}, {"seed", seed}, {"cases", all}}.dump(2));
}
