// Counts the failed requests in a web server's log, by path, as a weir network or as a oneTBB pipeline of the same
// components.
#include <cerrno>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <CLI/CLI.hpp>

#include "examples/logs/comparison.hpp"
#include "examples/logs/random_log.hpp"
#include "examples/logs/ways.hpp"

namespace {

namespace fs = std::filesystem;
using namespace examples::logs;

void require_readable(const fs::path& log) {
  if (log == "-") return;
  std::error_code error;
  if (fs::is_directory(log, error)) error = std::make_error_code(std::errc::is_a_directory);
  if (!error) {
    std::FILE* const file = std::fopen(log.c_str(), "rb");
    if (file)
      std::fclose(file);
    else
      error = {errno, std::generic_category()};
  }
  if (error) throw std::runtime_error("cannot read the log " + log.string() + ": " + error.message());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Counts the requests with a status of 400 or more in a web server's log, by path.", "logs");
  fs::path log;
  std::string name = "weir";
  std::int64_t megabytes = 200;
  std::size_t most = 10;
  std::uint64_t seed = 1;
  int rounds = 0;
  bool lines = false;
  app.add_option("file", log,
                 "the log, in the common or combined format; - is the standard input; without it, a log is drawn");
  auto* const by = app.add_option("--by", name, "how: weir or pipeline (oneTBB)")
                       ->check(CLI::IsMember({"weir", "pipeline"}))
                       ->capture_default_str();
  app.add_option("--draw", megabytes, "size of the log to draw, in MB")
      ->check(CLI::Range(1, 4000))
      ->capture_default_str();
  app.add_option("--seed", seed, "of what is drawn")->capture_default_str();
  app.add_option("--top", most, "how many paths to list")->check(CLI::Range(0, 1000000))->capture_default_str();
  app.add_flag("--lines", lines, "weir with a record for each line, to see what records cost")->excludes(by);
  app.add_option("--compare", rounds, "measure both ways, and --lines, in N interleaved rounds; list nothing")
      ->check(CLI::Range(1, 1000))
      ->excludes(by);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  try {
    std::optional<random_log> drawn;
    if (log.empty())
      log = drawn.emplace(megabytes * 1'000'000, seed).path();
    else
      require_readable(log);
    if (rounds > 0) {
      if (!fs::is_regular_file(log))
        throw std::runtime_error("--compare reads the log several times: expected a regular file, was given " +
                                 log.string());
      print_comparison(std::cout, log, most, rounds, lines);
      return 0;
    }
    const summary all = (lines ? by_lines : name == "weir" ? by_weir : by_pipeline)(log, most);
    std::cout << all.errors << " errors, " << all.skipped << " lines skipped\n";
    for (const path_errors& each : all.top) std::cout << std::setw(9) << each.errors << "  " << each.path << '\n';
    return all.skipped == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "logs: " << error.what() << '\n';
    return 2;
  }
}
