#pragma once

#include <string>

#include "bench/weir/snet/record_format.hpp"
#include "bench/weir/snet/resumed_output.hpp"

namespace weir::program {

// The place where the results of a run go: standard output, a file, or a file that is resumed. For one thread.
class result_writer {
 public:
  // "": standard output. Throws bad_input when the file cannot be written; else it is left as it was. Refers to the
  // format, and to `resumed` if there is one.
  result_writer(const std::string& path, const record_format& format, resumed_output* resumed);
  // Writes the results that there were. A file that it made goes again unless the run began.
  ~result_writer();
  result_writer(const result_writer&) = delete;

  // The run has started: empties the file.
  void begin();

  // Throws unwritten_result when a value cannot be printed, after which others may be written, and std::runtime_error
  // when the place cannot be written. A file gets whole lines with each call of the system.
  void write(const record& r);
  void close();

 private:
  [[noreturn]] void fail(int reason) const;
  void flush();

  const record_format& format_;
  resumed_output* resumed_;
  std::string path_;
  int file_ = -1;
  bool is_new_ = false, has_begun_ = false;
  std::string lines_;  // not in the file yet
};

}  // namespace weir::program
