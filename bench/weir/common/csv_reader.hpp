#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace weir::program {

// Reads a CSV file of any length (RFC 4180), one row at a time. Fields are separated by commas. A field is in quotes if
// it contains a comma, a quote (written twice) or a line end. Lines end in LF, CRLF or CR; empty lines and a byte order
// mark are skipped. Used by one thread.
//
// Throws bad_input naming file and line for a quote that is not closed, text next to a quoted field, a row longer than
// 1 MB, invalid UTF-8, and NUL.
class csv_reader {
 public:
  static constexpr std::size_t longest_row = std::size_t{1} << 20;  // our rows have less than 1 kB

  // Throws bad_input if the file cannot be read.
  explicit csv_reader(const std::string& path);

  // Goes to the next row; false at the end of the file.
  bool next();

  // The row that next() went to; valid until the next call.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::uint64_t line() const { return row_line_; }  // the line where it begins, from 1

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }  // read so far

  // Throws bad_input: "observations.csv: line 7: " and the problem with the row.
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
  std::vector<std::size_t> stops_;  // the end of each field in text_
  std::vector<std::string_view> fields_;
};

}  // namespace weir::program
