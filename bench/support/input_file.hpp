#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace weir::command {

// A file that the user named, opened for reading. Throws bad_input naming it when there is none, when it is a folder,
// or when it cannot be read. Pipes and devices will do.
std::ifstream open_input(const std::string& path);

// A whole file of at most `most` bytes; throws bad_input as open_input does, and when it is longer.
std::string read_input(const std::string& path, std::size_t most);

}  // namespace weir::command
