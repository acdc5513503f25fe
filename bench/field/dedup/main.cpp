// field_dedup: an input is cut into content-defined chunks, those seen before are left out, and the others compressed;
// and plain compression next to the programs that people use. All ways in each round; every archive must decompress to
// the input.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include <weir/weir.hpp>

#include "bench/field/common/arriving.hpp"
#include "bench/field/common/comparison.hpp"
#include "bench/field/common/fixed_search.hpp"
#include "bench/field/dedup/inputs.hpp"
#include "bench/field/dedup/ways.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/program.hpp"
#include "bench/support/quantile.hpp"
#include "bench/support/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace weir::field_bench;
using namespace weir::field_bench::dedup;
using json = nlohmann::ordered_json;

struct settings {
  std::vector<std::string> kinds = input_kinds();
  std::string compressor = "mixed";
  bool plain = false, as_json = false;
  double megabytes = 32;
  int rounds = 5, threads = 0;
  std::uint64_t seed = 1;
  arrival_settings arriving;  // no pattern: all blocks are there
  std::optional<std::string> report;
};

job job_of(const settings& asked) { return {!asked.plain, asked.compressor, asked.plain ? 900'000u : 512u * 1024}; }

bytes input_of(const std::string& kind, const settings& asked) {
  return random_input(kind, static_cast<std::size_t>(asked.megabytes * 1e6), asked.seed);
}

struct way {
  std::string name;
  std::function<bytes(const bytes&, const job&)> archive_of;
};

std::vector<way> ways_of(const std::vector<weir::fixed_share>& best, int threads) {
  const auto by = [](weir::policy rule) {
    return [rule](const bytes& input, const job& what) { return by_weir(input, what, rule); };
  };
  return {{"weir adaptive", by(weir::adaptive{weir::objective::throughput})},
          {"weir fixed, by search", by(weir::fixed_shares(best))},
          {"weir equal", by(weir::equal_shares{})},
          {"oneTBB pipeline", [threads](const bytes& in, const job& what) { return by_pipeline(in, what, threads); }},
#ifdef WEIR_HAS_TASKFLOW
          {"Taskflow pipeline", [threads](const bytes& in, const job& what) { return by_taskflow(in, what, threads); }},
#endif
#ifdef WEIR_HAS_FASTFLOW
          {"FastFlow farms", [threads](const bytes& in, const job& what) { return by_fastflow(in, what, threads); }},
#endif
          {"threads by hand", [threads](const bytes& in, const job& what) { return by_threads(in, what, threads); }}};
}

// A contestant whose rate is in MB of input a second. The check of the archive is outside of the time.
contestant timed(const way& by, const bytes& input, const job& what) {
  return {by.name, [&input, what, by] {
            const auto begin = std::chrono::steady_clock::now();
            const bytes archive = by.archive_of(input, what);
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            if (restored(archive, what) != input)
              throw std::runtime_error(by.name + ": the archive does not give the input");
            return static_cast<double>(input.size()) / 1e6 / seconds;
          }};
}

std::vector<contestant> contestants(const bytes& input, const job& what, const settings& asked,
                                    const std::vector<weir::fixed_share>& best, const fs::path& folder) {
  std::vector<way> ways = ways_of(best, asked.threads);
  ways.push_back({"one loop", by_loop});
  if (asked.plain)
    for (const command& c : installed_commands(what.compressor, asked.threads))
      ways.push_back({c.name, [c, folder](const bytes&, const job&) {
                        return by_command(c, folder / "input", folder / "output");
                      }});
  std::vector<contestant> all;
  for (const way& w : ways) all.push_back(timed(w, input, what));
  return all;
}

// The best fixed shares by a climb on other data of the kind.
found_shares searched_on(const bytes& input, const job& what, int threads) {
  return searched_shares(
      weir_components(what), serial_components(), threads, [&](const std::vector<weir::fixed_share>& shares) {
        const contestant once = timed(
            {"search", [shares](const bytes& in, const job& w) { return by_weir(in, w, weir::fixed_shares(shares)); }},
            input, what);
        return weir::program::quantile({once.run(), once.run(), once.run()}, 0.5);
      });
}

// The ways on blocks that arrive. The archive must be that of one loop, which is restored once.
std::vector<arrival_way> arrival_ways_of(const std::vector<way>& ways, const std::string& kind, const job& what,
                                         std::uint64_t seed) {
  struct known {
    bytes input, archive;
  };
  const auto all_known = std::make_shared<std::map<std::size_t, known>>();  // by the number of blocks
  const auto known_of = [=](std::size_t blocks) -> const known& {
    known& k = (*all_known)[blocks];
    if (k.input.empty()) {
      k.input = random_input(kind, blocks * what.block_size, seed);
      k.archive = by_loop(k.input, what);
      if (restored(k.archive, what) != k.input) throw std::runtime_error("the archive does not give the input");
    }
    return k;
  };
  std::vector<arrival_way> all;
  for (const way& w : ways)
    all.push_back({w.name, [w, what, known_of](std::size_t blocks, const std::vector<double>& times) {
                     const known& right = known_of(blocks);
                     arrival_clock clock(blocks, times);
                     job timed_job = what;
                     timed_job.clock = &clock;
                     const bytes archive = w.archive_of(right.input, timed_job);
                     run_times seen = clock.end();
                     if (archive != right.archive) throw std::runtime_error(w.name + ": the archive is wrong");
                     return seen;
                   }});
  return all;
}

// Blocks of 128 kB, so that a run has more of them, under the patterns.
json arriving_on(const std::string& kind, const settings& asked) {
  job what = job_of(asked);
  what.block_size = 128 * 1024;
  const bytes shorter = random_input(kind, static_cast<std::size_t>(asked.megabytes * 1e6 / 4), asked.seed + 1);
  const found_shares found = searched_on(shorter, what, asked.threads);
  const double rate =
      timed(ways_of({}, asked.threads).front(), shorter, what).run() * 1e6 / static_cast<double>(what.block_size);
  if (!asked.as_json)
    fmt::print("{} in blocks of {} kB, about {:.0f} a second; best fixed of {}: {}\n", kind, what.block_size / 1024,
               rate, found.tried, to_string(found.best));
  return {{"input", kind},
          {"block_bytes", what.block_size},
          {"searched", {{"best", to_string(found.best)}, {"tried", found.tried}}},
          {"arriving", measured_arrivals(arrival_ways_of(ways_of(found.best, asked.threads), kind, what, asked.seed),
                                         asked.arriving, asked.rounds, rate, !asked.as_json)}};
}

json compared_on(const std::string& kind, const settings& asked) {
  const job what = job_of(asked);
  const bytes input = input_of(kind, asked);
  const weir::program::scratch_folder folder;
  if (asked.plain)
    std::ofstream(folder.path() / "input", std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  const bytes shorter = random_input(kind, input.size() / 4, asked.seed + 1);  // what the search runs on
  const found_shares found = searched_on(shorter, what, asked.threads);
  const double archive_size = static_cast<double>(by_loop(input, what).size());
  const std::vector<row> rows = compared(contestants(input, what, asked, found.best, folder.path()), asked.rounds);
  const std::string title =
      fmt::format("{}, {} by {}: {:.0f} MB become {:.1f} %; best fixed of {}: {}", kind,
                  asked.plain ? "compressed" : "dedup", what.compressor, asked.megabytes,
                  100 * archive_size / static_cast<double>(input.size()), found.tried, to_string(found.best));
  if (!asked.as_json) fmt::print("{}\n", to_text(title, "MB/s", rows));
  std::fflush(stdout);
  return {{"input", kind},
          {"compressor", what.compressor},
          {"finds_duplicates", !asked.plain},
          {"bytes", input.size()},
          {"archive_bytes", archive_size},
          {"searched", {{"best", to_string(found.best)}, {"tried", found.tried}}},
          {"ways", to_json(rows)}};
}

int run(settings asked) {
  if (asked.plain && asked.compressor == "mixed") asked.compressor = "bzip2";
  if (asked.report) {
    const weir::program::output_file file("--report", *asked.report);
    file.write(weir_report(input_of(asked.kinds.front(), asked), job_of(asked)));
    return 0;
  }
  if (asked.threads == 0) asked.threads = weir::machine::local().size();
  const std::string where = where_measured();
  if (asked.plain)
    for (const std::string& name : missing_commands(asked.compressor))
      fmt::print(stderr, "{} is not installed and left out; bench/field/setup.sh installs it\n", name);
  if (!asked.as_json) fmt::print("{}\n\n", where);
  json all{{"where", where}, {"threads", asked.threads}, {"seed", asked.seed}, {"inputs", json::array()}};
  for (const std::string& kind : asked.kinds)
    all["inputs"].push_back(asked.arriving.patterns.empty() ? compared_on(kind, asked) : arriving_on(kind, asked));
  if (asked.as_json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Deduplication and compression by weir and in other ways"};
  settings asked;
  app.add_option("--input", asked.kinds, "Kinds of input, by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(input_kinds()));
  app.add_option("--compressor", asked.compressor, "bzip2, zstd, or mixed: by the block")
      ->check(CLI::IsMember({"bzip2", "zstd", "mixed"}))
      ->capture_default_str();
  app.add_flag("--plain", asked.plain, "Compress only, next to pbzip2, lbzip2 and zstd -T where they are installed");
  app.add_option("--megabytes", asked.megabytes, "Of each input")
      ->check(CLI::Range(0.1, 4000.0))
      ->capture_default_str();
  add_arrival_options(app, asked.arriving);
  app.add_option("--rounds", asked.rounds, "Runs of each way, in turns")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  app.add_option("--threads", asked.threads, "Of the rivals; 0: as many as weir has cores")->check(CLI::Range(0, 1024));
  app.add_option("--seed", asked.seed, "Of the inputs")->transform(weir::program::whole_range())->capture_default_str();
  app.add_option("--report", asked.report, "Only one run of adaptive on the first input: its report, JSON in a file");
  app.add_flag("--json", asked.as_json, "Print JSON");
  return weir::program::run_program(app, argc, argv, [&] { return run(asked); });
}
