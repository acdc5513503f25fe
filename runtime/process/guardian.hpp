#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runtime/process/child.hpp"
#include "runtime/process/descriptor.hpp"
#include "runtime/process/launch.hpp"

namespace weir::detail::processes {

// A process that sleeps until this one ends, or until this object is destroyed. Then it kills every process that has
// its mark, and removes its folder. Children inherit the mark as a variable, also those of children.
//
// It is a shell of the system, in a group of its own. A fork of a process of 20 GB would copy the page tables of these,
// and a process that shares the memory dies with this one when memory runs out. Without a shell or /proc, the system
// still kills the children that this process started itself.
//
// There is one at a time in a process, while something holds it. Thread-safe.
class guardian : public std::enable_shared_from_this<guardian> {
 public:
  static std::shared_ptr<guardian> of_process();  // throws std::system_error
  explicit guardian(std::string mark);
  ~guardian();
  guardian(const guardian&) = delete;

  void mark(launch& how);  // each child of its holder, once its bounds are said

  // A new folder, or the name of a new file, in its own folder, which is of mode 0700. Throws std::system_error.
  std::filesystem::path new_folder();
  std::filesystem::path new_file(const std::string& ending);

 private:
  void start_shell(int input);
  std::filesystem::path next(const std::string& ending);

  const std::string mark_;
  const std::filesystem::path folder_;  // which is made where it is needed and not there
  const std::string groups_;  // what the paths of its children's control groups begin with; empty: they have none
  std::atomic<std::uint64_t> number_{0};
  std::atomic<bool> has_folder_{false};
  const pid_t owner_;
  descriptor lives_;  // the other end of the shell's standard input
  std::optional<child> shell_;
};

}  // namespace weir::detail::processes
