#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/weir/common/csv_reader.hpp"
#include "model/observation.hpp"

namespace weir::command {

// Reads a CSV file of observations, as `weir matmul --out` writes it, a row at a time. The header line names the
// columns, in any order: `component,x,cores,seconds` must be there, `start,cpu_seconds,width,core_set,queue,after_move,
// switches` may be. Used by one thread; memory does not grow but by the names of the components.
//
// Every row it gives is fit for a model, but for those with after_move: x finite and not negative, cores whole and at
// least 1, seconds within 1e-12..1e12. Everything else is bad_input naming file, line and column. An empty field of a
// column that need not be there means what a missing column means: the default of `observation`.
class observations_reader {
 public:
  // Reads the header. Throws bad_input for a file that cannot be read or is empty, and for a column that is missing,
  // unknown or named twice.
  explicit observations_reader(const std::string& path);

  // Goes on to the next row; false at the end. Throws bad_input.
  bool next();

  const observation& seen() const { return seen_; }                 // the row; `component` is an index into names()
  std::string_view core_set_text() const { return core_set_; }      // its text, until the next row; "" without
  const std::vector<std::string>& names() const { return names_; }  // in the order in which they first appeared

  bool has(std::string_view column) const;
  const std::string& path() const { return csv_.path(); }
  std::uint64_t bytes() const { return csv_.bytes(); }  // read so far
  [[noreturn]] void refuse(const std::string& what) const { csv_.refuse(what); }

 private:
  std::uint32_t index_of(std::string_view name);
  void set(int column, std::string_view text);

  csv_reader csv_;
  std::vector<int> columns_;  // of each field of a row, which known column it is
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  observation seen_;
  std::string_view core_set_;
};

}  // namespace weir::command
