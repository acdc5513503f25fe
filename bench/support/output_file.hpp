#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir::program {

// A file that is written at the end of a run. It is made before the run, so that a path that cannot be written is
// refused before any work is lost. Until write() it leaves the path unchanged.
class output_file {
 public:
  // Throws bad_input naming option, path and reason if a file cannot be written there. Leaves no trace.
  output_file(std::string option, const std::string& path);

  // Writes a new file with an unguessable name in the same folder and renames it, so no reader ever sees half of it.
  // File and rename are synced to disk when it returns. Mode and owner are those of the replaced file. On failure it
  // throws std::runtime_error with the reason and leaves the old file as it was.
  //
  // A device or pipe, a mount point, and a file that can be written where no new one with its owner can be made are
  // written in place. There a failure may leave half of it.
  void write(const std::string& text) const;

 private:
  std::string option_;
  std::filesystem::path path_;
  bool in_place_ = false;  // a rename would replace a device, or no new file can be made
};

// Writes all that a run leaves: a file that cannot be written keeps no other from being written. Throws
// std::runtime_error with the messages of all that failed.
void write_all(const std::vector<std::function<void()>>& writes);

// Options and the file that each was given, if it was. Throws bad_input if two were given the same.
void require_different(const std::vector<std::pair<std::string, std::optional<std::string>>>& files);

}  // namespace weir::program
