#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

namespace weir::detail {

// A client's connection, as httplib reads and writes it, with limits that httplib does not have. One is for the time of
// a whole request and of each write, in however many pieces, and one for the size of a request's head. Used by one
// thread; another may shut the socket down, which ends its waits. The socket is not blocking, and is not its own.
class connection final : public httplib::Stream {
 public:
  connection(int socket, std::chrono::milliseconds patience) : socket_(socket), patience_(patience) {}

  // Waits for the request's head, and has it read next. False: no head came. A status: it is refused.
  bool read_head(int& refused);

  // Closes it for writing and takes what the client still sends, for a moment, so that it gets the answer. If it did
  // not take that, it is dropped with what the system keeps for it.
  void finish();

  // No function says that it overrides: which of these a stream of httplib's has differs between its versions.
  ssize_t read(char* to, size_t size);           // of the head; then 0, the end
  ssize_t write(const char* from, size_t size);  // all of it, or -1
  using httplib::Stream::write;

  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  // For httplib's own waits, of which a server whose streams wait has none. It would refuse numbers that select() does
  // not know.
  socket_t socket() const { return INVALID_SOCKET; }

  bool is_there() const;  // the client has not closed its end

  bool is_readable() const { return true; }
  bool is_writable() const { return is_there(); }
  bool wait_readable() const { return true; }
  bool wait_writable() const { return is_there(); }
  bool is_peer_alive() const { return is_there(); }
  time_t duration() const { return 0; }

 private:
  using clock = std::chrono::steady_clock;
  bool wait_for(short events, clock::time_point until) const;  // false: not until then

  const int socket_;
  const std::chrono::milliseconds patience_;
  std::string head_;
  std::size_t passed_ = 0;  // bytes of the head that were read
  bool has_failed_ = false;
};

}  // namespace weir::detail
