#include <weir/network/file_sources.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/record/without_memory.hpp"
#include "runtime/threads/stoppable_input.hpp"

namespace weir {
namespace {

[[noreturn]] void fail(int error, const char* what, const std::filesystem::path& file) {
  throw std::system_error(error, std::generic_category(), std::string(what) + " '" + file.string() + "'");
}

// Room for this number of bytes. A file may be one line without end, as /dev/zero is. `part`: what the text is.
void make_room(std::string& text, std::size_t bytes, const char* part, const std::filesystem::path& file) {
  if (bytes <= text.capacity()) return;
  detail::with_memory(
      bytes, [&] { text.reserve(std::max(bytes, 2 * text.capacity())); },
      [&](const std::string& why) {
        return part + (" of '" + file.string()) + "' has more than " + std::to_string(text.size()) + " bytes, and " +
               why;
      });
}

// Appends `size` bytes of the input, fewer at its end; false: it has ended.
bool append(std::string& to, std::size_t bytes, detail::stoppable_input& from) {
  std::size_t filled = to.size();
  const std::size_t wanted = filled + bytes;
  to.resize(wanted);
  while (filled < wanted) {
    const std::size_t got = from.read(to.data() + filled, wanted - filled);
    if (got == 0) break;
    filled += got;
  }
  to.resize(filled);
  return filled == wanted;
}

}  // namespace

// Each byte is searched once, so that a long line that arrives in small pieces takes linear time.
void lines_of::operator()(const std::function<void(std::string)>& give, const std::stop_token& stop) const {
  constexpr std::size_t piece = std::size_t{1} << 20;  // a system call costs nothing next to copying it
  detail::stoppable_input from(file_, stop);
  std::string text(piece, '\0');
  std::size_t kept = 0;  // bytes of a line that has not ended yet
  while (const std::size_t got = from.read(text.data() + kept, text.size() - kept)) {
    const char *at = text.data(), *look = at + kept;
    const char* const end = look + got;
    while (const void* const newline = std::memchr(look, '\n', static_cast<std::size_t>(end - look))) {
      look = static_cast<const char*>(newline);
      give(std::string(at, look));
      at = ++look;
    }
    kept = static_cast<std::size_t>(end - at);
    std::memmove(text.data(), at, kept);
    if (kept <= text.size() / 2) continue;
    make_room(text, 2 * text.size(), "a line", file_);
    text.resize(2 * text.size());
  }
  if (kept > 0 && !from.is_stopped()) give(text.substr(0, kept));
}

// Reads into the block itself, and a little more than it needs, so that only the part behind its last line is copied.
void blocks_of::operator()(const std::function<void(std::string)>& give, const std::stop_token& stop) const {
  const std::size_t least = std::clamp<std::size_t>(bytes_, 1, std::string().max_size() / 2);
  const std::size_t more = std::clamp<std::size_t>(least / 16, 64, 4096);  // most lines are shorter
  detail::stoppable_input from(file_, stop);
  std::string block, rest;
  for (bool goes_on = true; goes_on || !block.empty(); block = std::exchange(rest, {})) {
    std::size_t newline = std::string::npos, looked = least - 1;
    for (;;) {
      newline = block.find('\n', looked);
      looked = std::max(looked, block.size());
      if (newline != std::string::npos || !goes_on) break;
      // A block grows with what the file has: by a megabyte, or to twice its size.
      constexpr std::size_t first_part = std::size_t{1} << 20;
      const std::size_t wanted = block.size() < least ? least + more - block.size() : more;
      const std::size_t part = std::min(wanted, std::max(block.size(), first_part));
      make_room(block, block.size() + part, "a block", file_);
      goes_on = append(block, part, from);
    }
    if (from.is_stopped()) return;
    if (newline != std::string::npos) {
      rest = block.substr(newline + 1);
      block.resize(newline + 1);
    }
    if (!block.empty()) give(std::move(block));
  }
}

void files_in::operator()(const std::function<void(std::filesystem::path)>& give, const std::stop_token& stop) const {
  std::vector<std::filesystem::path> found;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (stop.stop_requested()) return;
      const std::string name = entry.path().filename().string();
      const bool fits =
          name.size() >= ending_.size() && name.compare(name.size() - ending_.size(), ending_.size(), ending_) == 0;
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
