// field_film: the scenes of films by a oneTBB pipeline, whose filters start the same scripts as `xargs -P` does. To be
// run in the folder of these scripts.

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/program.hpp"

namespace {

struct settings {
  std::string films, parts;
  int lanes = 1, threads = 1;
};

// A scene of a film, as an argument list of chunk.sh behind the number of threads.
struct scene {
  std::string name, codec, path, range;
};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// The lines that a command prints. Throws std::runtime_error when it fails.
std::vector<std::string> printed_by(const std::string& script, const std::vector<std::string>& arguments) {
  std::string line = "exec sh " + script;
  for (const std::string& a : arguments) line += " " + quoted(a);
  std::FILE* const out = popen(line.c_str(), "re");
  if (!out) throw std::runtime_error("cannot start " + line);
  std::string text;
  char some[4096];
  while (const std::size_t n = std::fread(some, 1, sizeof some, out)) text.append(some, n);
  if (const int status = pclose(out)) throw std::runtime_error(fmt::format("{} ended with status {}", line, status));
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

// The scenes of all films, one after the other. A film is cut when its first scene is asked for.
class scene_source {
 public:
  explicit scene_source(const std::string& path) : films_(path) {
    if (!films_) throw std::runtime_error(path + " cannot be read");
  }
  // False at the end.
  bool next(scene& into) {
    std::string name, codec, path, frames;
    while (scenes_.empty()) {
      if (!(films_ >> name >> codec >> path >> frames)) return false;
      for (const std::string& range : printed_by("cut.sh", {path})) scenes_.push_back({name, codec, path, range});
    }
    into = scenes_.front();
    scenes_.pop_front();
    return true;
  }

 private:
  std::ifstream films_;
  std::deque<scene> scenes_;
};

int run(const settings& asked) {
  scene_source source(asked.films);
  const auto lanes = static_cast<std::size_t>(asked.lanes);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, lanes);
  tbb::task_arena arena(asked.lanes);
  const auto cut = tbb::make_filter<void, scene>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    scene next;
    if (!source.next(next)) control.stop();
    return next;
  });
  const auto encode = tbb::make_filter<scene, std::string>(tbb::filter_mode::parallel, [&](const scene& s) {
    return printed_by("chunk.sh", {std::to_string(asked.threads), s.name, s.codec, s.path, s.range, asked.parts}).at(0);
  });
  const auto tell = tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                                        [](const std::string& result) { std::cout << result << '\n'; });
  arena.execute([&] { tbb::parallel_pipeline(2 * lanes, cut & encode & tell); });
  return std::cout.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Scenes of films by a oneTBB pipeline that starts the scripts of this folder"};
  settings asked;
  app.add_option("--films", asked.films, "A file with a line for each film: name, codec, path, frames")->required();
  app.add_option("--parts", asked.parts, "The folder for coded scenes")->required();
  app.add_option("--lanes", asked.lanes, "Scenes at the same time")->check(CLI::Range(1, 4096));
  app.add_option("--threads", asked.threads, "Of each program")->check(CLI::Range(1, 4096));
  return weir::program::run_program(app, argc, argv, [&] { return run(asked); });
}
