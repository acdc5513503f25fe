#include "bench/support/standard_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

int first_error = 0;  // errno of the first failure

}  // namespace

void print(std::string_view text) {
  while (!text.empty() && first_error == 0) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = printable(text.substr(0, end));
    if (end < text.size()) line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), stdout) < line.size()) first_error = errno;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_now(std::string_view text) {
  print(text);
  if (std::fflush(stdout) != 0 && first_error == 0) first_error = errno;
}

void print_bytes(std::string_view bytes) {
  if (first_error == 0 && std::fwrite(bytes.data(), 1, bytes.size(), stdout) < bytes.size()) first_error = errno;
}

void close_standard_output() {
  if (std::fflush(stdout) != 0 && first_error == 0) first_error = errno;
  // Some files report only here that they are full. If stdout was closed before the command began, nothing was lost.
  if (std::fclose(stdout) != 0 && errno != EBADF && first_error == 0) first_error = errno;
  if (first_error != 0)
    throw std::runtime_error(fmt::format("standard output could not be written: {}", std::strerror(first_error)));
}

}  // namespace weir::program
