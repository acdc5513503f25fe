#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weir/model/observation.hpp>
#include "bench/support/progress_bar.hpp"
#include "bench/weir/common/csv_reader.hpp"

namespace weir::program {

// Reads a CSV file of observations, as written by `weir matmul --out`, one row at a time. The header line names the
// columns, in any order. `component,x,cores,seconds` are required;
// `start,cpu_seconds,width,core_set,queue,after_move,switches,delayed_seconds` are optional. Used by one thread; memory
// grows only by the names of the components.
//
// Every row is usable by a model, except those with after_move: x is finite and not negative, cores is whole and at
// least 1, seconds are within 1e-12..1e12. Other rows throw bad_input naming file, line and column. An empty field of
// an optional column means the same as a missing column: the default of `observation`.
class observations_reader {
 public:
  // Reads the header. Throws bad_input for a file that cannot be read or is empty, and for a column that is missing,
  // unknown or named twice. `progress`: shows a progress bar meanwhile, if the size of the file is known.
  explicit observations_reader(const std::string& path, bool progress = false);

  // Goes on to the next row; false at the end. Throws bad_input.
  bool next();

  const observation& seen() const { return seen_; }                 // the row; `component` is an index into names()
  std::string_view core_set_text() const { return core_set_; }      // its text, until the next row; or ""
  const std::vector<std::string>& names() const { return names_; }  // in the order of their first rows

  bool has(std::string_view column) const;
  const std::string& path() const { return csv_.path(); }
  [[noreturn]] void refuse(const std::string& what) const { csv_.refuse(what); }

 private:
  std::uint32_t index_of(std::string_view name);
  void set(int column, std::string_view text);

  csv_reader csv_;
  progress_bar bar_;
  std::uint64_t megabytes_ = 0;  // read so far
  std::vector<int> columns_;     // for each field of a row, its known column
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  observation seen_;
  std::string_view core_set_;
};

}  // namespace weir::program
