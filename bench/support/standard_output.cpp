#include "bench/support/standard_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/support/readable.hpp"
#include "runtime/threads/write_all.hpp"

namespace weir::program {
namespace {

std::atomic<int> first_error = 0;  // errno of the first failure
bool is_told = false;

void note(int error) {
  int none = 0;
  if (error != 0) first_error.compare_exchange_strong(none, error);
}

// A buffer of printed text. That of stdio loses text where a write would block.
struct waiting_text {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  std::mutex mutex;
  std::string text;  // under mutex

  void add(std::string_view more) {
    constexpr std::size_t enough = 1 << 16;  // bytes: a system call costs little next to making them
    text += more;
    if (text.size() >= enough || (is_terminal && more.ends_with('\n'))) write();
  }
  void write() { note(detail::write_all(STDOUT_FILENO, std::exchange(text, {}))); }
};

// It is never destroyed, as threads may print until the end, and takes no memory, as there may be none.
waiting_text& waiting() {
  alignas(waiting_text) static std::array<std::byte, sizeof(waiting_text)> place;
  static waiting_text& all = *::new (place.data()) waiting_text;
  return all;
}

}  // namespace

void print(std::string_view text) {
  const std::lock_guard lock(waiting().mutex);
  while (!text.empty() && first_error == 0) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = printable(text.substr(0, end));
    if (end < text.size()) line += '\n';
    waiting().add(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_now(std::string_view text) {
  print(text);
  flush_standard_output();
}

void print_bytes(std::string_view bytes) {
  const std::lock_guard lock(waiting().mutex);
  if (first_error == 0) waiting().add(bytes);
}

bool has_standard_output_failed() { return first_error != 0; }

void flush_standard_output() {
  const std::lock_guard lock(waiting().mutex);
  waiting().write();
}

void check_standard_output() {
  if (const int error = first_error; error != 0 && !std::exchange(is_told, true))
    throw std::runtime_error(fmt::format("standard output could not be written: {}", std::strerror(error)));
}

void close_standard_output() {
  flush_standard_output();
  // Some files report only here that they are full. If stdout was closed before the command began, nothing was lost.
  if (std::fclose(stdout) != 0 && errno != EBADF) note(errno);
  check_standard_output();
}

}  // namespace weir::program
