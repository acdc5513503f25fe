// The cost of the coordination language for large networks: deep stars, many split keys, long state chains, wide
// choices, long chains of boxes. Every answer is checked; a wrong one ends the program with exit code 1.
//
// Each measurement runs in its own process (this program, started again), so that no row inherits memory or threads
// from an earlier one. Memory is what operator new has allocated and not freed, by malloc_usable_size. The pool's
// blocks come from there, too, and are counted whether in use or kept for reuse.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/measurements/sizes/measurements.hpp"
#include "bench/measurements/sizes/row.hpp"
#include "bench/support/host.hpp"
#include "bench/support/program.hpp"
#include "bench/support/quantile.hpp"
#include "bench/support/self.hpp"

namespace weir::sizes {
namespace {

using json = nlohmann::ordered_json;

// ---- one measurement in a process of its own ----

int measure_here(const std::string& name, std::int64_t size) {
  for (const measurement& m : measurements) {
    if (m.name != name) continue;
    json all = json::array();
    for (const row& r : m.run(size)) all.push_back(as_json(r));
    fmt::print("{}\n", all.dump());
    return 0;
  }
  throw std::invalid_argument("--measure: there is no \"" + name + "\"");
}

std::vector<row> measure_apart(const std::string& name, std::int64_t size) {
  const std::string text = program::output_of_self(fmt::format("--measure {} --size {}", name, size));
  std::vector<row> rows;
  for (const json& j : json::parse(text)) rows.push_back(as_row(j));
  return rows;
}

// ---- all of them ----

struct spread {
  double median, least, most;
};

template <class Of>
spread over(const std::vector<row>& runs, Of of) {
  std::vector<double> v;
  for (const row& r : runs) v.push_back(static_cast<double>(of(r)));
  return {program::quantile(v, 0.5), program::quantile(v, 0), program::quantile(v, 1)};
}

struct line {
  row sample;
  spread seconds, bytes, build, start, made, blocks;
  double per_record() const { return seconds.median / static_cast<double>(sample.records) * 1e9; }
  double per_hop() const { return sample.hops > 0 ? seconds.median / sample.hops * 1e9 : 0; }
  double bytes_each() const { return bytes.median / static_cast<double>(sample.count); }
};

void print(const line& l) {
  const auto positive = [](double v, const char* form) {
    return v > 0 ? fmt::format(fmt::runtime(form), v) : std::string();
  };
  fmt::print("{:<27}{:>9}{:>9}  {:>8.4f} [{:.4f} .. {:.4f}]{:>13.0f}{:>9}{:>12.0f}  {:<18}{:>9.2f}{:>9.2f}{:>10.0f}\n",
             l.sample.what, l.sample.size, l.sample.records, l.seconds.median, l.seconds.least, l.seconds.most,
             l.per_record(), positive(l.per_hop(), "{:.1f}"), l.bytes.median / 1e3,
             l.sample.count ? fmt::format("{:.0f} a {}", l.bytes_each(), l.sample.of) : "", l.build.median * 1e3,
             l.start.median * 1e3, l.made.median / 1e3);
}

json as_json(const line& l) {
  const auto three = [](const spread& s) { return json{{"median", s.median}, {"min", s.least}, {"max", s.most}}; };
  json j{{"what", l.sample.what},
         {"size", l.sample.size},
         {"records", l.sample.records},
         {"seconds", three(l.seconds)},
         {"nanoseconds_per_record", l.per_record()}};
  j["nanoseconds_per_hop"] = l.sample.hops > 0 ? json(l.per_hop()) : json();
  j["peak_bytes"] = three(l.bytes);
  j["bytes_each"] = l.sample.count ? json(l.bytes_each()) : json();
  j["each"] = l.sample.of;
  j["build_seconds"] = three(l.build);
  j["start_seconds"] = three(l.start);
  j["made_bytes"] = three(l.made);
  j["pool_blocks"] = three(l.blocks);
  return j;
}

// The growth from one size to the next, as ratios of the fastest runs, since other work on the machine only adds time.
// A linear cost grows as the size does.
void print_growth(const std::vector<line>& lines) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const line &a = lines[i - 1], &b = lines[i];
    if (a.sample.what != b.sample.what) continue;
    fmt::print(
        "{}, {} -> {}: build x{:.2f}, start x{:.2f}, run x{:.2f}; peak {:.0f} -> {:.0f} kB, pool blocks live at the "
        "end {} -> {}\n",
        a.sample.what, a.sample.size, b.sample.size, b.build.least / a.build.least, b.start.least / a.start.least,
        b.seconds.least / a.seconds.least, a.bytes.median / 1e3, b.bytes.median / 1e3, a.blocks.median,
        b.blocks.median);
  }
}

// A state chain that feeds itself needs the same memory for any number of steps.
void check_state_chain(const std::vector<line>& lines) {
  constexpr double slack = 256e3;  // for the threads' own memory, and a few more observations
  const line* before = nullptr;
  for (const line& l : lines) {
    if (l.sample.what != "state chain, feeds itself") continue;
    if (before && l.bytes.median > before->bytes.median + slack)
      throw std::runtime_error(fmt::format("the state chain's memory grows: {:.0f} bytes at {} steps, {:.0f} at {}",
                                           before->bytes.median, before->sample.size, l.bytes.median, l.sample.size));
    before = &l;
  }
}

}  // namespace
}  // namespace weir::sizes

int main(int argc, char** argv) {
  using namespace weir::sizes;
  CLI::App app{"What large networks cost: deep stars, many keys, long state chains, wide choices, long chains"};
  bool json_wanted = false;
  int repeats = 3;
  std::string only, here;
  std::int64_t size = 0;
  app.add_flag("--json", json_wanted, "machine-readable output");
  app.add_option("--repeat", repeats, "interleaved repeats of each measurement")->check(CLI::Range(1, 1000));
  std::vector<std::string> names;
  for (const measurement& m : measurements) names.push_back(m.name);
  app.add_option("--only", only, "this measurement alone")->check(CLI::IsMember(names));
  auto* const size_option = app.add_option("--size", size, "the size for --measure")
                                ->check(CLI::Range(std::int64_t{1}, std::int64_t{100000000}));
  app.add_option("--measure", here, "one measurement, once, in this process; prints its rows as JSON")
      ->needs(size_option);
  return weir::program::run_program(app, argc, argv, [&] {
    if (!here.empty()) return measure_here(here, size);
    std::vector<std::vector<row>> runs;  // by line
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::size_t at = 0;
      for (const measurement& m : measurements) {
        if (!only.empty() && m.name != only) continue;
        for (const std::int64_t s : m.sizes)
          for (row& r : measure_apart(m.name, s)) {
            if (at == runs.size()) runs.emplace_back();
            runs[at++].push_back(std::move(r));
          }
      }
    }
    std::vector<line> lines;
    for (const auto& r : runs)
      lines.push_back(
          {r[0], over(r, [](const row& x) { return x.seconds; }), over(r, [](const row& x) { return x.bytes; }),
           over(r, [](const row& x) { return x.build_seconds; }), over(r, [](const row& x) { return x.start_seconds; }),
           over(r, [](const row& x) { return x.made_bytes; }), over(r, [](const row& x) { return x.blocks; })});
    const unsigned cores = std::thread::hardware_concurrency();
    if (json_wanted) {
      json all{{"machine", {{"cores", cores}, {"processor", weir::program::processor_name()}}},
               {"build", weir::program::build_type()},
               {"repeats", repeats},
               {"rows", json::array()}};
      for (const line& l : lines) all["rows"].push_back(as_json(l));
      fmt::print("{}\n", all.dump(2));
      check_state_chain(lines);
      return 0;
    }
    fmt::print(
        "{} cores ({}), {} build; medians of {} runs, each in a process of its own, interleaved; every answer "
        "checked\n\n",
        cores, weir::program::processor_name(), weir::program::build_type(), repeats);
    fmt::print("{:<27}{:>9}{:>9}  {:<28}{:>13}{:>9}{:>12}  {:<18}{:>9}{:>9}{:>10}\n", "what", "size", "records",
               " seconds [min .. max]", "ns/record", "ns/hop", "peak kB", "bytes each", "build ms", "start ms",
               "made kB");
    for (const line& l : lines) print(l);
    fmt::print("\n");
    print_growth(lines);
    check_state_chain(lines);
    return 0;
  });
}
