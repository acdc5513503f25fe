#pragma once

#include <filesystem>
#include <string>

namespace weir::command {

// A file that will be written at the end of a run. Made before the run, so that a path that cannot be written is met
// while nothing is lost; until write() nothing is at the path but what was there before.
class output_file {
 public:
  // Throws bad_input naming option and path when a file cannot be written there. Leaves no trace.
  output_file(std::string option, const std::string& path);

  // Writes a file beside and renames it, so that nobody ever sees half of it; a device or pipe is written directly.
  // Throws std::runtime_error, leaving what was there, when that fails.
  void write(const std::string& text) const;

 private:
  std::filesystem::path beside() const;

  std::string option_;
  std::filesystem::path path_;
  bool directly_ = false;  // there is something that is not a regular file: a rename would replace it
};

}  // namespace weir::command
