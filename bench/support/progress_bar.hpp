#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace weir::command {

// A progress line on stderr, only if stderr is a terminal: how much is done, and in how long the rest will be if it
// goes on as it did. For use by one thread. The destructor erases the line.
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
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
};

// "done in 2 min 5 s"; empty before a second has gone by or while nothing is done, since then it says nothing.
std::string remaining_text(double seconds_so_far, std::size_t done, std::size_t total);

}  // namespace weir::command
