#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

// Readers of files for source(). They know nothing of records: each calls a function for one value after the other, and
// source() makes the records. In a run they end as soon as it is stopped, also in the middle of a wait for input. A
// line or block that has not come whole by then is not given. On a dead network mount they end only when the system
// lets them.
namespace [[gnu::visibility("default")]] weir {

// The lines of a text file, without the newline at their end: `source("read", gives(line), lines_of("corpus.txt"))`.
//
// A last line without a newline counts as well. "-" is the standard input. The file is opened when a run starts, so one
// network may be run several times. It is read in pieces of a megabyte, so memory depends on the longest line only. A
// line of a pipe, terminal or socket is given when it is complete; a named pipe without a writer waits for one.
//
// Errors: a call throws std::system_error, naming the file, when it cannot be opened or read. The initialiser then
// fails with failure_kind::box_threw; lines that it gave before stay.
class lines_of {
 public:
  // Keeps the path; opens nothing yet.
  explicit lines_of(std::filesystem::path file) : file_(std::move(file)) {}

  // Calls `give` with each line, until a stop is requested.
  void operator()(const std::function<void(std::string)>& give, const std::stop_token& stop = {}) const;

 private:
  std::filesystem::path file_;
};

// The same file in blocks of at least `bytes` bytes that end at the end of a line, with all newlines; the last block
// may be shorter. One record for many lines costs less than a record for each.
class blocks_of {
 public:
  // Keeps the path; opens nothing yet. 0 bytes count as 1.
  explicit blocks_of(std::filesystem::path file, std::size_t bytes = std::size_t{1} << 20)
      : file_(std::move(file)), bytes_(bytes) {}

  // Calls `give` with each block, until a stop is requested.
  void operator()(const std::function<void(std::string)>& give, const std::stop_token& stop = {}) const;

 private:
  std::filesystem::path file_;
  std::size_t bytes_;
};

// The paths of the regular files in a folder and in all folders within it, sorted: `source("list",
// gives(path), files_in("scans", ".pdf"))` with a `field<std::filesystem::path> path`.
//
// With `ending` only those whose names end so, such as ".pdf". Links to folders are not followed. The folder is read
// when a run starts. Errors: a call throws std::system_error, naming the folder, when one cannot be read.
class files_in {
 public:
  // Keeps the path; reads nothing yet.
  explicit files_in(std::filesystem::path folder, std::string ending = "")
      : folder_(std::move(folder)), ending_(std::move(ending)) {}

  // Calls `give` with each path. A stop ends the search.
  void operator()(const std::function<void(std::filesystem::path)>& give, const std::stop_token& stop = {}) const;

 private:
  std::filesystem::path folder_;
  std::string ending_;
};

}  // namespace weir
