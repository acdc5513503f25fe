#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace weir::program {

// Progress on stderr: the present work, how much is done, and in how long the rest will be if it goes on as it did. On
// a terminal it is a line that is drawn anew and that the destructor erases; elsewhere a line every 15 s, so a short
// command says nothing. For use by one thread.
class progress_bar {
 public:
  // A total of 0 is not known: then the present work is all that is shown.
  progress_bar(std::size_t total, bool wanted);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;

  // The present activity, such as "adaptive, round 2 of 3".
  void label(std::string text);

  // One more item is done. Draws at most ten times a second, so it costs a look at the clock.
  void advance();

  // Sets the number of items that are done, and the present activity. Draws as often.
  void reach(std::size_t done, std::string label);
  bool is_due() const;  // whether it would draw

  // Draws now, if it is wanted.
  void draw();

 private:
  void draw_if_due();

  const std::size_t total_;
  const bool wanted_, is_terminal_;
  std::size_t done_ = 0;
  std::string label_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = began_;
};

// "adaptive, round 2 of 3: 45 %, done in 20 s", and the end of the line. With a total of 0 the label alone.
std::string progress_text(const std::string& label, double seconds_so_far, std::size_t done, std::size_t total);

// "done in 2 min 5 s"; empty before a second has gone by or while nothing is done, since then it says nothing.
std::string remaining_text(double seconds_so_far, std::size_t done, std::size_t total);

}  // namespace weir::program
