#include <weir/options/saved_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <weir/options/saved_models.hpp>

namespace weir {
namespace {

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why) {
  throw std::invalid_argument(path.string() + ": " + why);
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::filesystem::path& path = at->path();
    std::error_code unknown;
    if (path.extension() == ".json" && path.filename().string().front() != '.' && !at->is_directory(unknown))
      files.push_back(path);
  }
  if (failed) refuse_file(folder, failed.message() + ", expected was a folder of saved models");
  if (files.empty()) refuse_file(folder, "no file in it ends in .json, expected was a folder of saved models");
  std::ranges::sort(files);
  return files;
}

std::string text_of(const std::filesystem::path& path) {
  constexpr std::uintmax_t longest = std::uintmax_t{64} << 20;  // a model takes some kilobytes: thousands of components
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  if (failed) refuse_file(path, failed.message() + ", expected were saved models");
  if (bytes > longest) refuse_file(path, "is longer than 64 MiB, expected were saved models");
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(bytes))) refuse_file(path, "cannot be read");
  return text;
}

}  // namespace

std::vector<saved_run> read_runs(const std::filesystem::path& folder) {
  std::vector<saved_run> runs;
  for (const std::filesystem::path& path : files_of(folder)) {
    const std::string text = text_of(path);
    try {
      runs.push_back({path.filename().string(), read_models(text)});
    } catch (const std::invalid_argument& e) {
      refuse_file(path, e.what());
    }
  }
  return runs;
}

}  // namespace weir
