#pragma once

#include <filesystem>
#include <vector>

#include <weir/options/saved_run.hpp>

namespace [[gnu::visibility("default")]] weir {

// The runs whose models lie in a folder, in the order of their names: each file whose name ends in `.json`, as
// write_models() wrote it. Other files, folders inside it, and names that begin with a dot are left alone.
//
// Throws std::invalid_argument, naming the path, for a folder that cannot be read or has no such file. It also throws
// for a file that cannot be read, is longer than 64 MiB, or is not text of write_models().
std::vector<saved_run> read_runs(const std::filesystem::path& folder);

}  // namespace weir
