#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace weir::command {

// A progress line on stderr, only if stderr is a terminal. For use by one thread. The destructor erases the line.
class progress_bar {
 public:
  progress_bar(std::size_t total, bool wanted);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;

  // The present activity, such as "adaptive, round 2 of 3".
  void label(std::string text);

  // One more item is done. Redraws at most ten times per second, so its cost is negligible.
  void advance();

 private:
  void draw();

  const std::size_t total_;
  const bool shown_;
  std::size_t done_ = 0;
  std::string label_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace weir::command
