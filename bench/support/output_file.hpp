#pragma once

#include <filesystem>
#include <string>

namespace weir::command {

// A file that will be written at the end of a run. Made before the run, so that a path that cannot be written is met
// while nothing is lost; until write() nothing is at the path but what was there before.
class output_file {
 public:
  // Throws bad_input naming option, path and reason when a file cannot be written there. Leaves no trace.
  output_file(std::string option, const std::string& path);

  // Writes a new file beside, of a name that nobody can guess, and renames it, so that nobody ever sees half of it.
  // Both are on the disk when it returns. Mode and owner are those of the file that it replaces. A device or pipe is
  // written directly. Throws std::runtime_error that says why, leaving what was there, when that fails.
  void write(const std::string& text) const;

 private:
  std::string option_;
  std::filesystem::path path_;
  bool directly_ = false;  // there is something that is not a regular file: a rename would replace it
};

}  // namespace weir::command
