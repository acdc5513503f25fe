#include "runtime/live/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/live/request_head.hpp"

namespace weir::detail {
namespace {

// Bytes that are still read from a client after its answer, at most: enough for a small upload that was refused.
constexpr std::size_t most_left_over = 65536;
constexpr std::chrono::milliseconds patience_at_the_end{200};

}  // namespace

bool connection::wait_for(short events, clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
    if (left.count() <= 0) return false;
    pollfd p{socket_, events, 0};
    const int n = poll(&p, 1, static_cast<int>(left.count()));
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

bool connection::is_there() const {
  pollfd p{socket_, POLLRDHUP, 0};
  return poll(&p, 1, 0) == 0;
}

bool connection::read_head(int& refused) {
  constexpr std::string_view end = "\r\n\r\n";
  const auto until = clock::now() + patience_;
  std::string all;
  std::array<char, 4096> piece;
  std::size_t size = std::string::npos;
  while (size == std::string::npos) {
    const ssize_t n = recv(socket_, piece.data(), std::min(piece.size(), request_head::most_bytes - all.size()), 0);
    if (n > 0) {
      const std::size_t looked_at = all.size() < end.size() ? 0 : all.size() - end.size();
      all.append(piece.data(), static_cast<std::size_t>(n));
      size = all.find(end, looked_at);
      if (size == std::string::npos && all.size() == request_head::most_bytes) {
        refused = 431;
        return true;
      }
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) || !wait_for(POLLIN, until)) {
      return false;
    }
  }
  request_head head = head_of(std::string_view(all).substr(0, size + end.size()));
  refused = head.refused;
  head_ = std::move(head.passed);
  return true;
}

ssize_t connection::read(char* to, size_t size) {
  const std::size_t n = std::min(size, head_.size() - passed_);
  std::memcpy(to, head_.data() + passed_, n);
  passed_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t connection::write(const char* from, size_t size) {
  const auto until = clock::now() + patience_;
  std::size_t sent = 0;
  while (sent < size) {
    const ssize_t n = send(socket_, from + sent, size - sent, MSG_NOSIGNAL);
    if (n > 0)  // a client that takes a little at a time is let wait below, too
      sent += static_cast<std::size_t>(n);
    else if ((errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) || !wait_for(POLLOUT, until)) {
      has_failed_ = true;
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

void connection::finish() {
  if (has_failed_) {
    const linger now{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    return;
  }
  shutdown(socket_, SHUT_WR);
  const auto until = clock::now() + patience_at_the_end;
  std::array<char, 4096> piece;
  for (std::size_t left_over = 0; left_over < most_left_over;) {
    const ssize_t n = recv(socket_, piece.data(), piece.size(), 0);
    if (n > 0)
      left_over += static_cast<std::size_t>(n);
    else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) || !wait_for(POLLIN, until))
      return;
  }
}

}  // namespace weir::detail
