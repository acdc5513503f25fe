#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace weir::detail {

// Writes all bytes to a descriptor, however many calls of write(2) that takes, and goes on after a signal. Returns 0,
// or the errno of the call that failed. A descriptor that does not block fails with EAGAIN where it has no room.
[[nodiscard]] inline int write_all(int to, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written > 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0)
      return EIO;  // it takes nothing, for ever
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace weir::detail
