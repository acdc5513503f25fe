#include "bench/support/input_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {

std::ifstream open_input(const std::string& path) {
  std::error_code failed;
  if (path.empty()) throw bad_input("\"\" is no name of a file that can be read");
  if (std::filesystem::is_directory(path, failed))
    throw bad_input(fmt::format("{} is a folder, expected was a file", path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw bad_input(fmt::format("{} cannot be read: {}", path, errno ? std::strerror(errno) : "it cannot be opened"));
  return file;
}

std::string read_input(const std::string& path, std::size_t most) {
  std::ifstream file = open_input(path);
  std::string text;
  char part[65536];
  while (file.read(part, sizeof part), file.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most) throw bad_input(fmt::format("{} is longer than {} MB", path, most >> 20));
  }
  if (file.bad()) throw bad_input(fmt::format("{} could not be read to its end", path));
  return text;
}

}  // namespace weir::program
