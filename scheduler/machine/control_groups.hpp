#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weir {

// A limit that control groups set: the controller, and the file that has it in the two versions of the hierarchy. Plain
// data.
struct group_limit {
  const char* controller;
  const char* file_v1;
  const char* file_v2;
};

// The files with this limit of the process's group and of all groups around it, as far as they are visible, of cgroup
// v1 and v2. They need not exist. `root` is the folder under which /proc/self/cgroup, /proc/self/mountinfo and the
// files that they name are read. Thread-safe.
std::vector<std::filesystem::path> limit_files(const std::filesystem::path& root, const group_limit& of);

// The whole text; empty: it cannot be read.
std::string text_of_file(const std::filesystem::path& file);

}  // namespace weir
