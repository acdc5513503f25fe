#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir::detail::remote {

// A large part of a message, which is sent from where it lies.
struct blob {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeps;  // what must stay as it is until the blob was sent
};

// What one rank sends to another: a few bytes, and large parts beside them.
struct message {
  std::uint32_t kind = 0;
  std::vector<std::byte> head;
  std::vector<blob> blobs;
};

// Is told what comes from other ranks: by the communicator's thread alone, never under a lock of the transport. Calls
// must not block.
class peer_listener {
 public:
  // A message with blobs of these sizes, in bytes, is about to come: where each blob goes. Called in the order of
  // sending of each peer, and before received() for this message. The places stay valid until then.
  virtual std::vector<std::span<std::byte>> place(int from, std::uint32_t kind, std::span<const std::byte> head,
                                                  std::span<const std::size_t> sizes) = 0;

  // The head and all blobs of a message are there. Called in the order of sending of each peer.
  virtual void received(int from, std::uint32_t kind, std::span<const std::byte> head) = 0;

  // A rank is dead, was silent for too long, or is cut off. Once for each rank; nothing comes from it afterwards.
  virtual void lost(int rank, std::string why) = 0;

 protected:
  ~peer_listener() = default;
};

// Moves messages between the ranks of a program. Its queues have no bound of their own: the senders' credits bound
// them.
class transport {
 public:
  virtual ~transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Queues the message and never blocks. By any thread, also under locks of the runtime. Messages to one rank arrive in
  // the order of the calls: if one call returned before another began, in whatever threads, its message comes first. A
  // message to a rank that is lost, or after close(), is dropped. Throws std::bad_alloc.
  virtual void send(int to, message what) = 0;

  // Begins to receive. The listener must live until close() has returned.
  virtual void open(peer_listener& told) = 0;

  // Sends what is queued, to the peers that live, and stops. No call of the listener is made afterwards. Idempotent.
  virtual void close() = 0;
};

}  // namespace weir::detail::remote
