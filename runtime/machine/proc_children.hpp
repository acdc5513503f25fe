#pragma once

#include <filesystem>
#include <vector>

// The processes that this one has started, as Linux tells of them in /proc/PID/task/TID/children and /proc/PID/stat
// (proc(5)). Files are read below `root`, so that tests can give others. Thread-safe.
namespace weir::detail {

// The CPU seconds so far of a process's children that it has not waited for, of their own children, and so on. The
// system counts in hundredths of a second. 0 where it does not tell of children. Throws std::bad_alloc.
double seconds_of_running_children(const std::filesystem::path& root = "/");

// Appends the children of a process, /proc/PID, that it has not waited for. Each thread tells of its own.
// None where the system does not tell. Throws std::bad_alloc.
void add_children(const std::filesystem::path& process, std::vector<int>& to);

}  // namespace weir::detail
