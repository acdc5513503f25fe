#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "runtime/process/descriptor.hpp"
#include "runtime/process/message.hpp"
#include "runtime/process/shared_memory.hpp"

namespace weir::detail::processes {

// The other side has closed the connection, or has ended.
class connection_closed : public std::runtime_error {
 public:
  connection_closed() : std::runtime_error("the connection was closed") {}
};

// How long a connection waits for its socket, once a few milliseconds have not been enough.
class socket_wait {
 public:
  // Returns when the socket is ready for `events` of poll. Throws to give up.
  virtual void wait(int socket, short events) = 0;
  // Between two parts of a message, whose other side may be slow without making anybody wait. Throws to give up.
  virtual void look() = 0;

 protected:
  ~socket_wait() = default;
};

// A message that came, and its blocks. Valid until the next one is received.
struct received {
  message head;
  std::vector<arrived_block> blocks;
};

// Messages over a socket of the kind AF_UNIX, SOCK_STREAM. Large blocks go in a file of memory, which the other side
// maps. One thread at a time. After an exception the connection is of no use, but for what message_writer and
// received::head throw.
class connection {
 public:
  // Blocks of this size or more go in a file. Below, two copies cost less than a page table.
  static constexpr std::size_t block_in_file = std::size_t{64} << 10;

  // `waits`: null: as long as it takes. It must outlive the connection.
  explicit connection(descriptor socket, socket_wait* waits = nullptr);

  // Sends a message, which is finished here. Throws connection_closed, std::system_error, what the wait throws, and
  // std::length_error when the message is longer than the protocol allows; then nothing was sent.
  void send(message_writer& m);

  // The next message. Throws connection_closed, protocol_error, std::system_error, std::bad_alloc and what the
  // socket_wait throws.
  received receive();

  // The blocks sent before are needed no longer.
  void reset_sent() { sent_.reset(); }

  // The other side takes no files: all blocks go in the body.
  void pass_no_files() { passes_files_ = false; }

  int socket() const { return socket_.get(); }

 private:
  void send_parts(std::span<const int> passed);
  void read_some(std::size_t room);
  void need(std::size_t bytes);
  block_place place_of(const message_writer::block_to_send& block, std::vector<std::uint64_t>& numbers,
                       std::vector<int>& passed);
  void keep_passed(const message& m);
  std::vector<arrived_block> blocks_of(const message& m, const std::byte* body);

  descriptor socket_;
  socket_wait* const waits_;
  const int forks_;  // before the process that may send
  bool passes_files_ = true;
  shared_area sent_;
  std::vector<std::span<const std::byte>> parts_;  // of the message that is being sent

  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of bytes in the buffer that were not received
  std::size_t given_ = 0;            // bytes of the last message that was received
  std::deque<descriptor> arrived_;   // files whose message has not been received
  std::map<std::uint64_t, std::shared_ptr<memory_file>> files_;
  std::uint64_t next_file_ = 1;  // the number of the next that is passed
};

}  // namespace weir::detail::processes
