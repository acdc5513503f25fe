#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace weir::detail {

// Writes all bytes to a descriptor, however many calls of write(2) that takes, and goes on after a signal. Waits for
// room, also where the descriptor does not block (O_NONBLOCK). Returns 0, or the errno of the call that failed.
[[nodiscard]] inline int write_all(int to, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written > 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0)
      return EIO;  // it takes nothing, for ever
    else if (errno == EAGAIN) {
      pollfd room{to, POLLOUT, 0};
      if (::poll(&room, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace weir::detail
