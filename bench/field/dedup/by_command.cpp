#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {
namespace {

std::vector<command> all_commands(const std::string& compressor, int threads) {
  if (compressor == "bzip2")
    return {{"pbzip2", fmt::format("pbzip2 -c -9 -b9 -p{}", threads)},
            {"lbzip2", fmt::format("lbzip2 -c -9 -n{}", threads)}};
  return {{"zstd -T", fmt::format("zstd -q -c -3 -T{} -B900000", threads)}};
}

bool is_installed(const command& c) {
  const std::string program = c.line.substr(0, c.line.find(' '));
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + '/' + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

std::vector<command> installed_commands(const std::string& compressor, int threads) {
  std::vector<command> all = all_commands(compressor, threads);
  std::erase_if(all, [](const command& c) { return !is_installed(c); });
  return all;
}

std::vector<std::string> missing_commands(const std::string& compressor) {
  std::vector<std::string> names;
  for (const command& c : all_commands(compressor, 1))
    if (!is_installed(c)) names.push_back(c.name);
  return names;
}

bytes by_command(const command& by, const std::filesystem::path& file, const std::filesystem::path& result) {
  const std::string line = fmt::format("{} '{}' > '{}'", by.line, file.string(), result.string());
  if (std::system(line.c_str()) != 0) throw std::runtime_error("this command failed: " + line);
  std::ifstream written(result, std::ios::binary);
  return bytes(std::istreambuf_iterator<char>(written), {});
}

}  // namespace weir::field_bench::dedup
