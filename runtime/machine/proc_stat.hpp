#pragma once

#include <filesystem>
#include <vector>

// The use of processing units as Linux tells it in /proc/stat (proc_stat(5)). The file is read below `root`, so that
// tests can give others. Thread-safe.
namespace weir::detail {

// CPU seconds that these processing units have spent since the system started: on all processes, on interrupts, and on
// other guests of a hypervisor (steal). The system counts in hundredths of a second. NaN: the file cannot be read, or
// lacks one of the units.
double busy_seconds(const std::vector<int>& units, const std::filesystem::path& root = "/");

// Whether the file is the kernel's own. Some containers mount a file of theirs over it, which counts their processes
// alone.
bool is_of_kernel(const std::filesystem::path& root = "/");

}  // namespace weir::detail
