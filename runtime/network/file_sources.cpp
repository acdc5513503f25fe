#include "runtime/network/file_sources.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace weir {
namespace {

[[noreturn]] void fail(int error, const char* what, const std::filesystem::path& file) {
  throw std::system_error(error, std::generic_category(), std::string(what) + " '" + file.string() + "'");
}

struct close_file {
  void operator()(std::FILE* f) const {
    if (f != stdin) std::fclose(f);
  }
};

using open_file = std::unique_ptr<std::FILE, close_file>;

open_file opened(const std::filesystem::path& file) {
  open_file from(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
  if (!from) fail(errno, "cannot open", file);
  return from;
}

// Appends so many bytes of the file, fewer at its end; false: it has ended.
bool append(std::string& to, std::size_t bytes, const open_file& from, const std::filesystem::path& file) {
  const std::size_t before = to.size();
  to.resize(before + bytes);
  errno = 0;
  const std::size_t got = std::fread(to.data() + before, 1, bytes, from.get());
  if (std::ferror(from.get())) fail(errno, "cannot read", file);
  to.resize(before + got);
  return got == bytes;
}

}  // namespace

void lines_of::operator()(const std::function<void(std::string)>& give) const {
  constexpr std::size_t piece = std::size_t{1} << 20;  // a system call for it costs nothing beside its copying
  const open_file from = opened(file_);
  std::string text;
  for (bool goes_on = true; goes_on;) {
    goes_on = append(text, piece, from, file_);
    const char *at = text.data(), *const end = at + text.size();
    while (at < end) {
      const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (!newline) break;
      give(std::string(at, newline));
      at = newline + 1;
    }
    text.erase(0, static_cast<std::size_t>(at - text.data()));
  }
  if (!text.empty()) give(std::move(text));
}

// Reads into the block itself, and a little more than it needs, so that only the part behind its last line is copied.
void blocks_of::operator()(const std::function<void(std::string)>& give) const {
  const std::size_t least = std::max<std::size_t>(bytes_, 1);
  const std::size_t more = std::clamp<std::size_t>(least / 16, 64, 4096);  // most lines are shorter
  const open_file from = opened(file_);
  std::string block, rest;
  for (bool goes_on = true; goes_on || !block.empty(); block = std::exchange(rest, {})) {
    std::size_t newline = std::string::npos, looked = least - 1;
    for (;;) {
      newline = block.find('\n', looked);
      looked = std::max(looked, block.size());
      if (newline != std::string::npos || !goes_on) break;
      block.reserve(least + more);
      goes_on = append(block, block.size() < least ? least + more - block.size() : more, from, file_);
    }
    if (newline != std::string::npos) {
      rest = block.substr(newline + 1);
      block.resize(newline + 1);
    }
    if (!block.empty()) give(std::move(block));
  }
}

void files_in::operator()(const std::function<void(std::filesystem::path)>& give) const {
  std::vector<std::filesystem::path> found;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      const bool fits = name.size() >= ending_.size() &&
                        name.compare(name.size() - ending_.size(), ending_.size(), ending_) == 0;
      std::error_code unknown;
      if (fits && entry.is_regular_file(unknown)) found.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& e) {
    fail(e.code().value(), "cannot read the folder", e.path1().empty() ? folder_ : e.path1());
  }
  std::sort(found.begin(), found.end());
  for (std::filesystem::path& one : found) give(std::move(one));
}

}  // namespace weir
