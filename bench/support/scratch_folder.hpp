#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace weir::program {

// A folder for what a run writes, which goes with its object.
class scratch_folder {
 public:
  // A private one among the temporary files of the system. Throws std::system_error that names it.
  scratch_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir_XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), "no folder " + pattern);
    path_ = pattern;
  }
  explicit scratch_folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weir::program
