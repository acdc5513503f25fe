// The cost of coordination: the same work in weir, in oneTBB and by hand, interleaved in one process. Every answer is
// checked; a wrong one ends the program with exit code 1.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/measurements/overhead/instructions.hpp"
#include "bench/measurements/overhead/output.hpp"
#include "bench/measurements/overhead/rounds.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/support/program.hpp"
#include "bench/support/progress_bar.hpp"

namespace {

using namespace weir::overhead;

struct wanted {
  wish how;
  std::vector<std::string> groups, impls;
  std::string only, out;
  int quiet_seconds = 10;
  bool once = false, json = false, instructions = false;
};

using maker = std::function<std::vector<row>(const wanted&)>;

template <std::vector<row> (*Rows)()>
std::vector<row> plain(const wanted&) {
  return Rows();
}

const std::vector<std::pair<std::string, maker>> makers{
    {"pipe", plain<pipe_rows>},
    {"first", plain<first_rows>},
    {"latency", plain<latency_rows>},
    {"choice", plain<choice_rows>},
    {"grain", plain<grain_rows>},
    {"matmul", plain<matmul_rows>},
    {"data_parallel", plain<data_parallel_rows>},
    {"split", plain<split_rows>},
    {"sync", plain<sync_rows>},
    {"star", plain<star_rows>},
    {"strings", plain<strings_rows>},
    {"fan_out", plain<fan_out_rows>},
    {"words", plain<words_rows>},
    {"serial", plain<serial_rows>},
    {"two_runs", plain<two_runs_rows>},
    {"monitor", plain<monitor_rows>},
    {"start", plain<start_rows>},
    {"idle", [](const wanted& w) { return idle_rows(w.quiet_seconds); }}};

bool has(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<row> chosen_rows(const wanted& w) {
  std::vector<row> rows;
  for (const auto& [group, make] : makers) {
    if (!has(w.groups, group) || (!w.only.empty() && w.only.rfind(group + "/", 0) != 0)) continue;
    for (row& r : make(w))
      if (has(w.impls, r.impl) && (w.only.empty() || r.name() == w.only)) rows.push_back(std::move(r));
  }
  if (rows.empty()) throw std::runtime_error("no row fits; --list prints all of them, as GROUP/CONFIG/IMPL");
  return rows;
}

void list_rows(const wanted& w) {
  for (const row& r : chosen_rows(w)) fmt::print("{}\n", r.name());
}

// How often measure() calls begin.
std::size_t runs_of(const std::vector<row>& rows, const wish& how) {
  std::size_t runs = 0;
  for (const row& r : rows) {
    runs += static_cast<std::size_t>(1 + (r.rounds > 0 ? std::min(r.rounds, how.repeats) : how.repeats));
    if (has_pairs(r.group) && r.impl == "weir")
      runs += 2 * static_cast<std::size_t>(std::max(0, how.pairs - how.repeats));
  }
  return runs;
}

void measure_and_print(const wanted& w) {
  if (w.instructions) require_valgrind();
  const std::vector<row> rows = chosen_rows(w);
  std::vector<measured> all;
  double per_box = unknown;
  {
    weir::program::progress_bar progress(runs_of(rows, w.how), true);
    all = measure(rows, w.how, [&](const std::string& name) {
      progress.label(name);
      progress.advance();
    });
    if (w.instructions) {
      progress.label("counting instructions");
      per_box = count_instructions(all);
    }
  }
  if (!w.out.empty()) std::ofstream(w.out) << as_json(all, w.how.repeats, per_box);
  fmt::print("{}", w.json ? as_json(all, w.how.repeats, per_box) : as_text(all, w.how.repeats, per_box));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What a record costs in weir and elsewhere, interleaved"};
  wanted w;
  bool list = false;
  std::vector<std::string> groups;
  for (const auto& [name, make] : makers) groups.push_back(name);
  app.add_flag("--json", w.json, "machine-readable output");
  app.add_option("--out", w.out, "the JSON in a file, besides");
  app.add_option("--repeat", w.how.repeats, "interleaved repeats of each row")->check(CLI::Range(1, 1000));
  app.add_option("--pairs", w.how.pairs, "repeats of weir and its best rival in groups grain and monitor")
      ->check(CLI::Range(1, 1000));
  app.add_option("--records", w.how.records, "records a run; by default as many as take a row's time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  app.add_option("--group", w.groups, "these groups, by commas: " + fmt::format("{}", fmt::join(groups, ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(groups));
  app.add_option("--impl", w.impls, "these implementers, by commas")->delimiter(',');
  app.add_option("--only", w.only, "one row, as GROUP/CONFIG/IMPL");
  app.add_option("--quiet-seconds", w.quiet_seconds, "how long an idle network is watched; 0: not at all")
      ->check(CLI::Range(0, 3600));
  app.add_flag("--instructions", w.instructions, "count weir's instructions a record with valgrind");
  app.add_flag("--once", w.once, "each row once, with --records records; prints its seconds")->needs("--records");
  app.add_flag("--list", list, "print the rows and do nothing");
  return weir::program::run_program(app, argc, argv, [&] {
    if (list) {
      list_rows(w);
    } else if (w.once) {
      for (const row& r : chosen_rows(w)) {
        const bool is_fixed = r.records > 0 && r.group != "start";
        fmt::print("{}\n", r.run(is_fixed ? r.records : std::max(w.how.records, r.least_records)).seconds);
      }
    } else {
      measure_and_print(w);
    }
    return 0;
  });
}
