#include "bench/support/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/support/readable.hpp"

namespace weir::program {

namespace {

// Whether a line can be drawn anew, which a terminal of the kind "dumb" cannot do.
bool draws_lines_anew() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !(kind && std::string_view(kind) == "dumb");
}

}  // namespace

progress_bar::progress_bar(std::size_t total, bool wanted)
    : total_(total), wanted_(wanted), is_terminal_(draws_lines_anew()) {}

progress_bar::~progress_bar() {
  if (wanted_ && is_terminal_) std::fputs("\r\033[K", stderr);
}

void progress_bar::label(std::string text) {
  label_ = printable(text);
  if (is_terminal_) last_ = {};
  draw_if_due();
}

void progress_bar::advance() {
  ++done_;
  draw_if_due();
}

void progress_bar::reach(std::size_t done, std::string label) {
  done_ = done;
  label_ = printable(label);
  draw_if_due();
}

bool progress_bar::is_due() const {
  const auto pause = is_terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(15000);
  return wanted_ && std::chrono::steady_clock::now() - last_ >= pause;
}

void progress_bar::draw_if_due() {
  if (is_due()) draw();
}

void progress_bar::draw() {
  if (!wanted_) return;
  last_ = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(last_ - began_).count();
  if (!is_terminal_) {
    std::fputs(progress_text(label_, seconds, done_, total_).c_str(), stderr);
    return;
  }
  if (total_ == 0) {
    std::fputs(fmt::format("\r{:.78}\033[K", label_).c_str(), stderr);
    std::fflush(stderr);
    return;
  }
  constexpr std::size_t width = 30;
  const std::size_t done = std::min(done_, total_), filled = width * done / total_;
  const std::string rest = remaining_text(seconds, done, total_);
  const std::string line = fmt::format("\r[{}{}] {:3d} %  {}{}{:.{}}\033[K", std::string(filled, '#'),
                                       std::string(width - filled, '.'), 100 * done / total_, rest,
                                       rest.empty() ? "" : "  ", label_, rest.empty() ? 38 : 38 - 2 - rest.size());
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

std::string progress_text(const std::string& label, double seconds_so_far, std::size_t done, std::size_t total) {
  if (total == 0) return label + "\n";
  const std::string rest = remaining_text(seconds_so_far, done, total);
  return fmt::format("{}{}{} %{}{}\n", label, label.empty() ? "" : ": ", 100 * std::min(done, total) / total,
                     rest.empty() ? "" : ", ", rest);
}

std::string remaining_text(double seconds_so_far, std::size_t done, std::size_t total) {
  if (seconds_so_far < 1 || done == 0) return {};
  const double rest = seconds_so_far * static_cast<double>(total - std::min(done, total)) / static_cast<double>(done);
  const auto seconds = static_cast<std::uint64_t>(std::min(rest, 3.6e8) + 0.5);
  if (seconds < 60) return fmt::format("done in {} s", seconds);
  if (seconds < 3600) return fmt::format("done in {} min {} s", seconds / 60, seconds % 60);
  return fmt::format("done in {} h {} min", seconds / 3600, seconds / 60 % 60);
}

}  // namespace weir::program
