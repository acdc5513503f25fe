#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weir::program {

// The content of a folder and of all folders within it, in the order of the paths.
struct input_folder {
  std::vector<std::filesystem::path> files;  // regular ones, also by links
  std::vector<std::string> left_out;         // "p (a pipe)": their names within the folder, and why
};

// Takes files, and pipes and the like, whose names have this ending. Links to folders are not followed: each is one
// that is left out. Throws bad_input, naming the folder, when one cannot be read.
input_folder read_folder(const std::filesystem::path& folder, const std::string& ending);

}  // namespace weir::program
