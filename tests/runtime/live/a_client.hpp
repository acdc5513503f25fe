#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>

namespace weir::testing {

// A client that sends any bytes of a test, whether or not they are HTTP. One thread may send while another reads.
class a_client {
 public:
  // `keeps`: bytes that the system takes in for it while it does not read; 0: as it likes.
  explicit a_client(int port, int keeps = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (keeps) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &keeps, sizeof keeps);
    const timeval patience{20, 0};  // longer than any answer takes on a busy machine
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~a_client() { ::close(socket_); }
  a_client(const a_client&) = delete;

  bool is_connected() const { return is_connected_; }

  bool was_reset() const { return was_reset_; }  // when it sent or read last

  void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      was_reset_ = sent < 0 && (errno == EPIPE || errno == ECONNRESET);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // All that comes until this text is in it, or until the end.
  std::string read_until(std::string_view last) {
    std::string all;
    std::array<char, 65536> piece;
    while (all.find(last) == std::string::npos) {
      const ssize_t came = ::recv(socket_, piece.data(), piece.size(), 0);
      if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) ADD_FAILURE() << "nothing came for 20 s";
      was_reset_ = came < 0 && errno == ECONNRESET;
      if (came <= 0) break;
      all.append(piece.data(), static_cast<std::size_t>(came));
    }
    return all;
  }
  std::string read_to_the_end() {
    using namespace std::string_view_literals;
    return read_until("\0no text of ours\0"sv);
  }

 private:
  const int socket_;
  bool is_connected_;
  std::atomic<bool> was_reset_{false};
};

struct an_answer {
  int status = 0;
  std::string head, body;
  bool has(const std::string& header) const { return head.find("\r\n" + header + "\r\n") != std::string::npos; }
};

inline an_answer answer_in(const std::string& text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
  return {std::stoi(text.substr(9, 3)), text.substr(0, end + 2), text.substr(end + 4)};
}

inline std::string own_host(int port) { return "Host: 127.0.0.1:" + std::to_string(port) + "\r\n"; }

// Asks with this request line and these header lines.
inline an_answer asked(int port, const std::string& line, const std::string& headers) {
  a_client client(port);
  client.send(line + "\r\n" + headers + "\r\n");
  return answer_in(client.read_to_the_end());
}

inline an_answer got(int port, const std::string& path) {
  return asked(port, "GET " + path + " HTTP/1.1", own_host(port));
}

}  // namespace weir::testing
