#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <weir/options/saved_model.hpp>

namespace [[gnu::visibility("default")]] weir {

// What one run learnt, for options::prior_runs. Plain data.
struct saved_run {
  std::string name;                           // the file that it was read from; for messages and reports
  std::map<std::string, saved_model> models;  // by component
};

// The runs whose models lie in a folder, in the order of their names: each file whose name ends in `.json`, as
// write_models() wrote it. Other files, folders inside it, and names that begin with a dot are left alone.
//
// Throws std::invalid_argument, naming the path, for a folder that cannot be read or has no such file. It also throws
// for a file that cannot be read, is longer than 64 MiB, or is not text of write_models().
std::vector<saved_run> read_runs(const std::filesystem::path& folder);

}  // namespace weir
