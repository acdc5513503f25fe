#include "bench/corpus/common/document_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::corpus {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_utf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace

std::vector<listed_document> documents_in(const fs::path& given) {
  std::error_code error;
  const auto refuse = [&](const std::string& why) {
    throw program::bad_input(fmt::format("input {}: {}", program::excerpt(given.string()), why));
  };
  if (!fs::is_directory(given, error)) refuse(error ? error.message() : "it is no folder");
  const bool is_generated = fs::is_regular_file(given / "truth.jsonl", error);
  const fs::path folder = is_generated ? given / "documents" : given;
  std::vector<listed_document> found;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::end(at); at.increment(error)) {
    if (is_hidden(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code unknown;
    if (!at->is_regular_file(unknown)) continue;
    const std::string name = at->path().lexically_relative(folder).string();
    found.push_back({is_utf8(name) ? name : program::printable(name), at->path(), at->file_size(unknown)});
  }
  if (error) refuse(error.message());
  if (found.empty()) refuse("there are no files in it");
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(found.begin(), found.end(), [](auto& a, auto& b) { return a.name == b.name; });
  if (twice != found.end()) refuse(fmt::format("two files are named {}", program::excerpt(twice->name)));
  return found;
}

components::file_bytes contents_of(const listed_document& document) {
  if (document.bytes > most_bytes)
    throw std::runtime_error(fmt::format("it has {} bytes; at most {} are read", document.bytes, most_bytes));
  std::ifstream in(document.path, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("it cannot be read: {}", std::strerror(errno)));
  auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(document.bytes), '\0');
  in.read(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  bytes->resize(static_cast<std::size_t>(in.gcount()));
  if (bytes->empty()) throw std::runtime_error("it is empty");
  return bytes;
}

}  // namespace weir::corpus
