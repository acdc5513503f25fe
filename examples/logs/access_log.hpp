#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// The components: plain C++ that knows neither weir nor oneTBB. All are functions of their arguments, so any thread may
// call them.
namespace examples::logs {

// A line of a web server's log in the common or combined format, `host - user [time] "GET /path HTTP/1.1" 404 512 ..`.
struct request {
  std::string_view path;  // without a query; of a request that is not "method path ..": all of it
  int status = 0;
};

// The content of a line without its newline. None if it has no quoted request with a status of 100 to 599 behind it.
// The path points into the line.
std::optional<request> parsed(std::string_view line);

inline bool is_error(const request& r) { return r.status >= 400; }

struct text_hash {
  using is_transparent = void;  // a path is looked up without a std::string of it
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

// How many errors each path has, and how many lines were no log lines.
struct error_counts {
  std::unordered_map<std::string, std::int64_t, text_hash, std::equal_to<>> by_path;
  std::int64_t skipped = 0;
};

// The paths are divided into shards, each with counts of its own.
constexpr std::size_t shards = 8;  // more than most machines have cores to spare for so little work
inline std::size_t shard_of(std::string_view path) { return text_hash{}(path) % shards; }

// The errors in a block of whole lines, by shard. Lines that were skipped count in the first.
std::vector<error_counts> counted(std::string_view block);

void add(error_counts& to, error_counts&& more);

struct path_errors {
  std::string path;
  std::int64_t errors = 0;
  bool operator==(const path_errors&) const = default;
};

// The numbers that are printed.
struct summary {
  std::int64_t errors = 0, skipped = 0;
  std::vector<path_errors> top;  // most errors first, equal ones by path
  bool operator==(const summary&) const = default;
};

// The `most` paths with most errors.
summary summarised(const error_counts& all, std::size_t most);

// Joins the summaries of different shards: a path is in one of them only.
void add(summary& to, const summary& more, std::size_t most);

}  // namespace examples::logs
