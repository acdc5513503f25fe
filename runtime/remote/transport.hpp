#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weir::detail::remote {

// A large part of a message, which is sent from where it lies.
struct blob {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeps;  // what keeps the bytes as they are until they are sent
};

// A message from one rank to another. The head is small: it is copied.
struct message {
  std::uint32_t kind = 0;
  std::vector<std::byte> head{};
  std::vector<blob> blobs{};
};

// The receiver of the messages of other ranks. One thread at a time calls the functions, never under a lock of the
// transport; any thread may call is_quick(). They may send, but must not wait for another rank. An exception from here
// ends the process.
class peer_listener {
 public:
  virtual ~peer_listener() = default;

  // Whether reading a message of this size takes microseconds and calls no function of the program's. If so, the thread
  // that sends the signs of life may call place() and received(). Any thread may call it.
  virtual bool is_quick(std::size_t /*bytes*/) const { return false; }

  // Where the blobs of a message go, one span for each size in bytes; the memory stays until received(). An empty
  // result rejects the peer, which then counts as lost. If the peer is lost before received(), the memory must stay for
  // as long as the process: MPI cannot be kept from writing to it. The message itself is announced by received() when
  // all its blobs are there. Only called for messages with blobs, in the order in which each peer sends them; it may be
  // called before received() for messages that were sent earlier.
  virtual std::vector<std::span<std::byte>> place(int from, std::uint32_t kind, std::span<const std::byte> head,
                                                  std::span<const std::size_t> sizes) = 0;

  // A message is there, with all its blobs. In the order of sending of each peer.
  virtual void received(int from, std::uint32_t kind, std::span<const std::byte> head) = 0;

  // A peer is dead, was silent for too long, or cannot be reached. Nothing arrives from it any more, and messages to it
  // are dropped. Once for each rank.
  virtual void lost(int rank, std::string why) = 0;
};

// The cost to reach a rank from rank 0: seconds one way, seconds of one small message of many, bytes a second of
// large ones. NaN: not measured.
struct link_cost {
  double latency = std::numeric_limits<double>::quiet_NaN();
  double record_seconds = std::numeric_limits<double>::quiet_NaN();
  double bytes_per_second = std::numeric_limits<double>::quiet_NaN();
};

// Moves messages between the ranks of a program.
class transport {
 public:
  virtual ~transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // At rank 0, by rank, as far as they were measured.
  virtual std::vector<link_cost> links() const { return {}; }

  // Queues a message; never blocks. Any thread may call it, also from within the listener, and under locks of the
  // runtime. Messages to one rank arrive in the order of the calls: if one call returned before another began, in
  // whatever threads, its message comes first. A message to a lost rank, or after close(), is dropped. Throws
  // std::bad_alloc. REQUIRES: `to` is another rank; open() was called.
  virtual void send(int to, message m) = 0;

  // Begins to receive; the listener must live until close() has returned. Throws std::logic_error, without any effect:
  // it is open, or another thread closes it.
  virtual void open(peer_listener& listener) = 0;

  // Sends the queued messages to peers that live, then stops. Returns when the listener is called no more. Idempotent.
  virtual void close() = 0;
};

}  // namespace weir::detail::remote
