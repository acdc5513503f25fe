#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "components/documents/pages.hpp"

namespace weir::corpus {

// A file of the input folder. Its number is its place in the list.
struct listed_document {
  std::string name;  // relative to the folder; bytes that are not UTF-8 as "\\xe9", since files of the run are JSON
  std::filesystem::path path;
  std::uintmax_t bytes = 0;
};

// All files in the folder and those below it, sorted by name; hidden ones are left out. In a folder that `weir corpus
// generate` made these are in `documents`. The kinds of files are seen when they are opened. Throws bad_input if it is
// no folder or has no files.
std::vector<listed_document> documents_in(const std::filesystem::path& folder);

// The contents. Throws std::runtime_error if it cannot be read or has more than 1 GiB.
components::file_bytes contents_of(const listed_document& document);

}  // namespace weir::corpus
