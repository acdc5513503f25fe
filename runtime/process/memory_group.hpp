#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/process/descriptor.hpp"

namespace weir::detail::processes {

// The folder in which this process may make control groups of Linux (cgroup v2) that bound memory: that of its own
// group, or of the one above. Where systemd has delegated that and memory is not divided there, it is divided. nullopt:
// neither, as where none is delegated to it. Files are read below `root`, so that tests can give others.
std::optional<std::filesystem::path> folder_for_memory_groups(const std::filesystem::path& root = "/");

// A control group for one child. It bounds the memory of all its processes together: the system kills all of them when
// they need more and nothing can be given back. That memory includes cached parts of files. The destructor kills the
// processes that are left, and removes the group. In a copy of this process made by fork() it does nothing. One thread
// at a time may use it.
class memory_group {
 public:
  // `folder` is made. Throws std::system_error where the system refuses; then nothing is left.
  memory_group(const std::filesystem::path& folder, std::uint64_t bytes);
  memory_group(memory_group&& other) noexcept = default;
  memory_group& operator=(memory_group&&) = delete;
  ~memory_group();

  int descriptor() const { return folder_.get(); }  // of its folder

  std::uint64_t peak_bytes() const noexcept;  // the most memory so far; 0: unknown, before Linux 5.19
  bool has_killed() const noexcept;           // the system has killed a process for the memory that it needed

 private:
  processes::descriptor folder_;  // none: it was moved
  std::string path_;
  pid_t owner_;
};

}  // namespace weir::detail::processes
