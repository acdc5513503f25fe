#include "bench/support/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/support/readable.hpp"

namespace weir::command {

progress_bar::progress_bar(std::size_t total, bool wanted)
    : total_(std::max<std::size_t>(1, total)), shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void progress_bar::label(std::string text) {
  label_ = printable(text);
  if (shown_) draw();
}

void progress_bar::advance() {
  ++done_;
  if (shown_ && std::chrono::steady_clock::now() - last_ >= std::chrono::milliseconds(100)) draw();
}

void progress_bar::draw() {
  constexpr std::size_t width = 30;
  last_ = std::chrono::steady_clock::now();
  const std::size_t filled = std::min(width, width * done_ / total_);
  const std::string line = fmt::format("\r[{}{}] {:3d} %  {:.45}\033[K", std::string(filled, '#'),
                                       std::string(width - filled, '.'), 100 * done_ / total_, label_);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace weir::command
