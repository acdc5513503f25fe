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

// Calls use(text, is_last) for pieces of the file; it returns how many bytes it used. The rest comes again, with more.
template <class Use>
void read_in_pieces(const std::filesystem::path& file, std::size_t piece, Use use) {
  const std::unique_ptr<std::FILE, close_file> from(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
  if (!from) fail(errno, "cannot open", file);
  std::string text;
  for (bool is_last = false; !is_last;) {
    const std::size_t kept = text.size();
    text.resize(kept + piece);
    errno = 0;
    const std::size_t got = std::fread(text.data() + kept, 1, piece, from.get());
    if (std::ferror(from.get())) fail(errno, "cannot read", file);
    text.resize(kept + got);
    is_last = got < piece;
    text.erase(0, use(text, is_last));
  }
}

constexpr std::size_t usual_piece = std::size_t{1} << 20;  // a system call for it costs nothing beside its copying

}  // namespace

void lines_of::operator()(const std::function<void(std::string)>& give) const {
  read_in_pieces(file_, usual_piece, [&](const std::string& text, bool is_last) {
    const char *at = text.data(), *const end = at + text.size();
    while (at < end) {
      const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (!newline) break;
      give(std::string(at, newline));
      at = newline + 1;
    }
    if (is_last && at < end) give(std::string(std::exchange(at, end), end));
    return static_cast<std::size_t>(at - text.data());
  });
}

void blocks_of::operator()(const std::function<void(std::string)>& give) const {
  const std::size_t least = std::max<std::size_t>(bytes_, 1);
  read_in_pieces(file_, std::max(least, usual_piece), [&](const std::string& text, bool is_last) {
    std::size_t at = 0;
    while (text.size() - at >= least) {
      const std::size_t newline = text.find('\n', at + least - 1);
      if (newline == std::string::npos) break;
      give(text.substr(at, newline + 1 - at));
      at = newline + 1;
    }
    if (!is_last || at == text.size()) return at;
    give(text.substr(at));
    return text.size();
  });
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
