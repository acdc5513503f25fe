#include "examples/logs/access_log.hpp"

#include <algorithm>
#include <cstring>

namespace examples::logs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The quote that ends what begins at `from`; servers write a quote inside as \".
std::size_t closing_quote(std::string_view line, std::size_t from) {
  for (std::size_t at = line.find('"', from); at != std::string_view::npos; at = line.find('"', at + 1)) {
    std::size_t first = at;
    while (first > from && line[first - 1] == '\\') --first;
    if ((at - first) % 2 == 0) return at;
  }
  return std::string_view::npos;
}

std::string_view path_of(std::string_view quoted) {
  const std::size_t space = quoted.find(' ');
  if (space == std::string_view::npos) return quoted;
  const std::string_view rest = quoted.substr(space + 1);
  return rest.substr(0, rest.find_first_of(" ?"));
}

void keep_most(std::vector<path_errors>& top, std::size_t most) {
  const auto end = top.begin() + static_cast<std::ptrdiff_t>(std::min(most, top.size()));
  std::partial_sort(top.begin(), end, top.end(), [](const path_errors& a, const path_errors& b) {
    return a.errors != b.errors ? a.errors > b.errors : a.path < b.path;
  });
  top.erase(end, top.end());
}

}  // namespace

std::optional<request> parsed(std::string_view line) {
  const std::size_t open = line.find('"');
  if (open == std::string_view::npos) return {};
  const std::size_t close = closing_quote(line, open + 1);
  if (close == std::string_view::npos) return {};
  const std::string_view rest = line.substr(close + 1);
  if (rest.size() < 4 || rest[0] != ' ' || rest[1] < '1' || rest[1] > '5' || !is_digit(rest[2]) || !is_digit(rest[3]))
    return {};
  if (rest.size() > 4 && is_digit(rest[4])) return {};
  return request{path_of(line.substr(open + 1, close - open - 1)),
                 (rest[1] - '0') * 100 + (rest[2] - '0') * 10 + (rest[3] - '0')};
}

std::vector<error_counts> counted(std::string_view block) {
  std::vector<error_counts> counts(shards);
  while (!block.empty()) {
    const std::string_view line = block.substr(0, block.find('\n'));
    block.remove_prefix(std::min(line.size() + 1, block.size()));
    const std::optional<request> read = parsed(line);
    if (!read) {
      ++counts[0].skipped;
    } else if (is_error(*read)) {
      auto& by_path = counts[shard_of(read->path)].by_path;
      const auto at = by_path.find(read->path);
      if (at != by_path.end())
        ++at->second;
      else
        by_path.emplace(read->path, 1);
    }
  }
  return counts;
}

void add(error_counts& to, error_counts&& more) {
  to.by_path.merge(more.by_path);  // takes the new paths over; the others stay
  for (const auto& [path, errors] : more.by_path) to.by_path.find(path)->second += errors;
  to.skipped += more.skipped;
}

summary summarised(const error_counts& all, std::size_t most) {
  summary result;
  result.skipped = all.skipped;
  result.top.reserve(all.by_path.size());
  for (const auto& [path, errors] : all.by_path) {
    result.errors += errors;
    result.top.push_back({path, errors});
  }
  keep_most(result.top, most);
  return result;
}

void add(summary& to, const summary& more, std::size_t most) {
  to.errors += more.errors;
  to.skipped += more.skipped;
  to.top.insert(to.top.end(), more.top.begin(), more.top.end());
  keep_most(to.top, most);
}

}  // namespace examples::logs
