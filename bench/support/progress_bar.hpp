#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace weir::command {

// One line on stderr that shows how far a command is, when stderr is a terminal; otherwise nothing at all. Used by one
// thread. It wipes itself out when it goes.
class progress_bar {
 public:
  progress_bar(std::size_t total, bool wanted);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;

  // What is being done now, such as "adaptive, round 2 of 3".
  void label(std::string text);

  // One more is done. Draws at most ten times a second, so that it costs nothing.
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
