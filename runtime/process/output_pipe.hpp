#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/process/descriptor.hpp"
#include "runtime/process/refusal.hpp"

namespace weir::detail::processes {

// The ends of an output stream of a child.
struct output_pipe {
  descriptor ours, theirs;
};

// To read its `ours` does not wait. Throws std::system_error.
inline output_pipe new_output_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) refuse(errno, "no pipe to a process");
  output_pipe made{descriptor(ends[0]), descriptor(ends[1])};
  if (fcntl(made.ours.get(), F_SETFL, O_NONBLOCK) != 0) refuse(errno, "no pipe to a process");
  return made;
}

}  // namespace weir::detail::processes
