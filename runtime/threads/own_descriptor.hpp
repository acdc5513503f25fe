#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace weir::detail {

// The file of a descriptor under a number above those of the standard streams, closed on exec, in place of the given
// number. Where a program has closed its streams, the system gives new files their numbers, and what the program prints
// would be written there. The given number stays where it is high enough, below 0, or no other is left.
inline int own_descriptor(int opened) noexcept {
  if (opened < 0 || opened > STDERR_FILENO) return opened;
  const int moved = ::fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return opened;
  ::close(opened);
  return moved;
}

}  // namespace weir::detail
