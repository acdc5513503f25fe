#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace weir::program {

// Opens a file of the user for reading. Throws bad_input naming it if it does not exist, is a folder, or cannot be
// read. Pipes and devices are accepted.
std::ifstream open_input(const std::string& path);

// A whole file of at most `most` bytes. Throws bad_input as open_input does, and if the file is longer.
std::string read_input(const std::string& path, std::size_t most);

}  // namespace weir::program
