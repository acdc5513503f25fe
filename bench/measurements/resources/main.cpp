// Memory that limits how many invocations run: amounts that are learnt, against amounts that are known, and against the
// best numbers of lanes that a search finds. Two encoders and a reader of pages are emulated: an invocation sleeps for
// its time and counts its bytes, on cores that need not exist.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "bench/support/quantile.hpp"

namespace {

using namespace weir;
using json = nlohmann::ordered_json;

constexpr std::array kinds{tag("clip"), tag("film"), tag("page")};
constexpr tag id("id"), done("done");
constexpr std::int64_t total = 4_GiB;
constexpr std::size_t components = 3;

// The time and the bytes of one invocation.
struct cost {
  double seconds;
  std::int64_t bytes;
};

struct component {
  const char* name;
  double base_bytes, bytes_each, scatter;  // of the amount: the standard deviation of its logarithm
  double base_seconds, seconds_each;
};
constexpr std::array<component, components> all{{{"encode_clip", 200e6, 4e6, 0.05, 4e-3, 2e-4},
                                                 {"encode_film", 100e6, 9e6, 0.10, 6e-3, 3e-4},
                                                 {"read_page", 60e6, 1e6, 0.20, 2e-3, 1e-4}}};

struct input {
  std::size_t kind;
  std::int64_t x;
  cost takes;
};

std::vector<input> drawn(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> size(20, 120);
  std::normal_distribution<double> scatter;
  std::vector<input> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = random() % components;
    const component& c = all[kind];
    const std::int64_t x = size(random);
    const auto at = static_cast<double>(x);
    inputs.push_back(
        {kind,
         x,
         {c.base_seconds + c.seconds_each * at,
          static_cast<std::int64_t>((c.base_bytes + c.bytes_each * at) * std::exp(c.scatter * scatter(random)))}});
  }
  return inputs;
}

// How the lanes are limited.
struct way {
  std::string name;
  bool learns = false, knows = false;
  std::array<int, components> widths{};  // 0: any
};

struct outcome {
  double per_second = 0;
  double peak_bytes = 0;
  bool is_over() const { return peak_bytes > static_cast<double>(total); }
};

outcome run_of(const std::vector<input>& inputs, const way& by, int cores) {
  std::atomic<std::int64_t> in_use{0}, peak{0};
  const resource memory{"memory", total};
  const auto made = [&](std::size_t kind) {
    auto one = box(all[kind].name, takes(kinds[kind], id), gives(done),
                   [&](const grant& given, std::int64_t, std::int64_t i) {
                     const cost& c = inputs[static_cast<std::size_t>(i)].takes;
                     const std::int64_t now = (in_use += c.bytes);
                     for (std::int64_t seen = peak; seen < now && !peak.compare_exchange_weak(seen, now);) {
                     }
                     std::this_thread::sleep_for(std::chrono::duration<double>(c.seconds));
                     given.used(memory, c.bytes);
                     in_use -= c.bytes;
                     return i;
                   })
                   .predicted_by([](std::int64_t x, std::int64_t) { return static_cast<double>(x); }, degree{1})
                   .sequential();
    if (by.learns) one = one.needs(memory, learnt);
    if (by.knows)
      one = one.needs(memory, [&](std::int64_t, std::int64_t i) {
        return static_cast<double>(inputs[static_cast<std::size_t>(i)].takes.bytes);
      });
    return by.widths[kind] > 0 ? one.width(by.widths[kind]) : one;
  };
  options o;
  o.machine = machine::synthetic(fmt::format("core:{} pu:1", cores));
  o.learn_from = measured_time::wall;
  const auto began = std::chrono::steady_clock::now();
  execution run = start(made(0) | made(1) | made(2), o);
  std::thread sender([&] {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      run.send(kinds[inputs[i].kind] = inputs[i].x, id = static_cast<std::int64_t>(i));
    run.close();
  });
  std::size_t results = 0;
  for (const record& r : run) results += r[done] >= 0;
  sender.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return {static_cast<double>(results) / seconds, static_cast<double>(peak.load())};
}

// The widths with the most records a second that never go over the total. Each combination runs on some
// of the inputs, unless narrower widths went over the total before. The fastest then run on all inputs.
way searched(const std::vector<input>& inputs, int cores) {
  constexpr std::size_t some = 300;
  const std::vector<input> few(inputs.begin(),
                               inputs.begin() + static_cast<std::ptrdiff_t>(std::min(some, inputs.size())));
  std::vector<std::array<int, components>> too_wide;
  std::vector<std::pair<double, way>> tried;
  for (int a = 1; a <= cores; ++a)
    for (int b = 1; b <= cores; ++b)
      for (int c = 1; a + b + c <= cores; ++c) {
        const std::array<int, components> widths{a, b, c};
        if (std::any_of(too_wide.begin(), too_wide.end(),
                        [&](const auto& w) { return widths[0] >= w[0] && widths[1] >= w[1] && widths[2] >= w[2]; }))
          break;
        const way one{"best widths", false, false, widths};
        const outcome got = run_of(few, one, cores);
        if (got.is_over())
          too_wide.push_back(widths);
        else
          tried.emplace_back(got.per_second, one);
      }
  std::sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [rate, one] : tried)
    if (!run_of(inputs, one, cores).is_over()) return one;
  return tried.back().second;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Memory that limits how many invocations run, learnt and known"};
  std::size_t records = 3000;
  int repeat = 3, cores = 16;
  std::uint64_t seed = 1;
  std::vector<int> widths;
  bool as_json = false;
  app.add_option("--records", records, "Records a run")->capture_default_str()->check(CLI::Range(30, 1000000));
  app.add_option("--repeat", repeat, "Runs of each way, in turns")->capture_default_str()->check(CLI::Range(1, 99));
  app.add_option("--cores", cores, "Of the emulated machine")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--seed", seed, "Of the inputs")->capture_default_str();
  app.add_option("--widths", widths, "To compare with, in place of the best ones of a search")->expected(3);
  app.add_flag("--json", as_json, "Print JSON");
  CLI11_PARSE(app, argc, argv);
  const std::vector<input> inputs = drawn(records, seed);
  std::vector<way> ways{{"learnt", true}, {"known", false, true}, {"no limit"}};
  if (widths.empty())
    ways.push_back(searched(inputs, cores));
  else
    ways.push_back({"given widths", false, false, {widths[0], widths[1], widths[2]}});
  std::vector<std::vector<double>> rates(ways.size());
  std::vector<double> peaks(ways.size(), 0);
  for (int i = 0; i < repeat; ++i)
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const outcome got = run_of(inputs, ways[w], cores);
      rates[w].push_back(got.per_second);
      peaks[w] = std::max(peaks[w], got.peak_bytes);
    }
  const double best = weir::program::quantile(rates.back(), 0.5);
  json rows = json::array();
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const double rate = weir::program::quantile(rates[w], 0.5);
    rows.push_back({{"way", ways[w].name},
                    {"widths", ways[w].widths},
                    {"per_second", rate},
                    {"over_best_widths", rate / best},
                    {"peak_over_total", peaks[w] / static_cast<double>(total)}});
    if (!as_json)
      fmt::print("{:12} {:8.1f} records a second, {:.3f} of the best widths, at most {:.3f} of the memory{}\n",
                 ways[w].name, rate, rate / best, peaks[w] / static_cast<double>(total),
                 ways[w].widths[0] > 0 ? fmt::format(" (widths {})", fmt::join(ways[w].widths, ", ")) : "");
  }
  if (as_json) fmt::print("{}\n", json{{"cores", cores}, {"records", records}, {"seed", seed}, {"rows", rows}}.dump(2));
}
