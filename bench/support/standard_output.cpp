#include "bench/support/standard_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

std::atomic<int> first_error = 0;  // errno of the first failure
bool is_told = false;

void note(bool is_written) {
  int none = 0;
  if (!is_written) first_error.compare_exchange_strong(none, errno);
}

}  // namespace

void print(std::string_view text) {
  while (!text.empty() && first_error == 0) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = printable(text.substr(0, end));
    if (end < text.size()) line += '\n';
    note(std::fwrite(line.data(), 1, line.size(), stdout) == line.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_now(std::string_view text) {
  print(text);
  flush_standard_output();
}

void print_bytes(std::string_view bytes) {
  if (first_error == 0) note(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

bool has_standard_output_failed() { return first_error != 0; }

void flush_standard_output() { note(std::fflush(stdout) == 0); }

void check_standard_output() {
  if (const int error = first_error; error != 0 && !std::exchange(is_told, true))
    throw std::runtime_error(fmt::format("standard output could not be written: {}", std::strerror(error)));
}

void close_standard_output() {
  flush_standard_output();
  // Some files report only here that they are full. If stdout was closed before the command began, nothing was lost.
  note(std::fclose(stdout) == 0 || errno == EBADF);
  check_standard_output();
}

}  // namespace weir::program
