// Files in, aggregate, files out. Each log of a folder becomes a file of its errors in another folder, and the sums
// over all logs are one record. Reading and writing wait for a disk rather than compute, so they need no core.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using std::filesystem::path;

inline constexpr field<path> file{"file"};
inline constexpr field<std::string> text{"text"}, failed{"failed"};
inline constexpr tag lines{"lines"}, errors{"errors"}, files{"files"};

std::string content_of(const path& of) {
  std::ifstream from(of, std::ios::binary);
  if (!from) throw std::runtime_error("cannot read " + of.string());
  return {std::istreambuf_iterator<char>(from), {}};
}

void select_errors(const std::string& all, emitter& emit) {
  std::istringstream from(all);
  std::string bad;
  std::int64_t read = 0, found = 0;
  for (std::string line; std::getline(from, line); ++read)
    if (line.find("\" 4") != line.npos || line.find("\" 5") != line.npos) bad += line + '\n', ++found;
  emit(failed = std::move(bad), lines = read, errors = found);
}

int program(int argc, char** argv) {
  if (argc != 3) return std::cerr << "give a folder of logs and one to write to\n", 2;
  const path to = argv[2];
  create_directories(to);

  const auto list = source("list", gives(file), files_in(argv[1], ".log"));
  const auto load = box("load", takes(file), gives(file, text), [](const path& f) {
                      return std::tuple(f, content_of(f));  // it gives the path back, for `write`
                    }).blocking(8);
  const auto select = box("select", takes(text), gives(failed, lines, errors), select_errors)
                          .predicted_by([](const std::string& t) { return t.size(); }, degree{1});
  const auto write = box("write", takes(file, failed), gives(), [to](const path& f, const std::string& bad) {
                       std::ofstream out(to / f.filename(), std::ios::binary);
                       if (!(out << bad).flush()) throw std::runtime_error("cannot write " + f.filename().string());
                     }).blocking(4);

  struct sums {
    std::int64_t files = 0, lines = 0, errors = 0;
  };
  const auto total = fold(
      "total", takes(lines, errors), gives(files, lines, errors), sums{},
      [](sums& s, std::int64_t n, std::int64_t bad) { ++s.files, s.lines += n, s.errors += bad; },
      [](sums& s, emitter& emit) { emit(files = s.files, lines = s.lines, errors = s.errors); });

  execution run = start(list >> load >> select >> write >> total, {.on_error = on_error::collect});
  for (const record& r : run) std::cout << r << '\n';
  for (const failure& f : run.errors()) std::cerr << to_string(f) << '\n';  // the other files are done all the same
  for (const char* name : {"monday.log", "tuesday.log"}) std::cout << name << ":\n" << content_of(to / name);
  return run.errors().empty() ? 0 : 1;
}

}  // namespace example

int main(int argc, char** argv) { return example::program(argc, argv); }
