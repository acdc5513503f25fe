#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "bench/weir/snet/record_format.hpp"
#include "bench/weir/snet/resumed_output.hpp"

namespace weir::program {

// Where the results of a run go: standard output, a file, or a file that is resumed. For one thread.
class result_writer {
 public:
  // "": standard output. Throws bad_input when the file cannot be written. Refers to the format, and to `resumed` if
  // there is one.
  result_writer(const std::string& path, const record_format& format, resumed_output* resumed);

  // Throws std::runtime_error when it cannot be written.
  void write(const record& r);
  void close();

 private:
  const record_format& format_;
  resumed_output* resumed_;
  std::string path_;
  std::ofstream file_;
};

}  // namespace weir::program
