#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace weir::command {

// Reads a CSV file (RFC 4180) a row at a time, however long the file: fields between commas, in quotes where they hold
// a comma, a quote (written twice) or the end of a line. Lines end in LF, CRLF or CR; empty lines and a byte order mark
// are passed over. Used by one thread.
//
// What is no such file is bad_input naming file and line: a quote that is not closed, text beside a quoted field, a row
// longer than 1 MB, bytes that are not UTF-8, or NUL.
class csv_reader {
 public:
  static constexpr std::size_t longest_row = std::size_t{1} << 20;  // no row of ours has 1 kB; what is longer is no CSV

  // Throws bad_input when the file cannot be read.
  explicit csv_reader(const std::string& path);

  // Goes on to the next row; false at the end of the file.
  bool next();

  // Of the row that next() went to; valid until the next call.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::uint64_t line() const { return row_line_; }  // where it begins, counted from 1

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }  // read so far

  // Throws bad_input: "observations.csv: line 7: " and what is wrong with the row.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  static constexpr int end = -1;

  int peek();
  int take();
  void keep(int c);
  void field();
  void quoted_field();
  void pass_end_of_line();
  void read_row();

  std::string path_;
  std::ifstream file_;
  std::vector<char> block_;
  std::size_t at_ = 0, filled_ = 0;  // in block_
  std::uint64_t bytes_ = 0, line_ = 1, row_line_ = 1;
  std::string text_;                // the fields of a row, unquoted, one after another
  std::vector<std::size_t> stops_;  // where each of them ends in text_
  std::vector<std::string_view> fields_;
};

}  // namespace weir::command
