#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "runtime/mpi/deliveries.hpp"
#include "runtime/mpi/frame.hpp"
#include "runtime/mpi/requests.hpp"
#include "runtime/remote/transport.hpp"

namespace weir::detail::mpi {

// Receives from one peer: takes its batches apart, has large parts received where the listener wants them, and tells of
// messages in the order of sending. Used by the communicator's thread.
//
// A transport may be opened again after it was closed. The peer says `closed` in between, so each of its messages
// belongs to its first opening, its second, and so on. Messages of a later opening than this rank's wait; those of an
// earlier one are dropped.
class incoming {
 public:
  incoming(int from, requests& r, deliveries& tells);

  // Posts the first receive.
  void begin();
  // A batch of that size has arrived. advance() takes it apart.
  void batch_arrived(std::size_t bytes);
  // A piece of a part of this message is there.
  void part_arrived(std::uint64_t message);

  // The blobs of this message go there; then advance() goes on. Throws as that does.
  void placed(std::uint64_t message, const deliveries::places& where);

  // Goes on as far as possible. `opening`: the number of this rank's, from 0; the listener is null when it is not open.
  // Throws std::runtime_error when what came is not what a rank sends, and std::bad_alloc; then the peer is to be given
  // up.
  void advance(remote::peer_listener* listener, std::uint64_t opening);

  // Whether messages have begun to come that the listener is yet to be told of.
  bool owes() const { return owed_ > 0; }
  bool has_left() const { return has_left_; }
  // Whether the peer has left without opening so often: it does not take part in this opening, and never will.
  bool is_absent(std::uint64_t opening) const { return has_left_ && opening_ <= opening; }
  // Ranks that the peer took for lost; the caller empties it.
  std::vector<int>& lost_to_peer() { return lost_to_peer_; }

  // The peer is lost: nothing is told of any more. MPI may still write to the memory that waits, which stays for ever.
  void give_up();

 private:
  struct message {
    frame what;
    deliveries::bytes body;       // the sizes of the blobs, then the head
    std::size_t piece_bytes = 0;  // of its blobs
    std::size_t missing = 0;      // pieces that are under way
    enum { nothing, body_of_it, places } waits_for = nothing;
    remote::peer_listener* listener = nullptr;            // null: it is dropped
    std::vector<std::unique_ptr<std::byte[]>> dropped{};  // where its blobs go then
  };
  static std::size_t head_at(const message& m) { return m.what.blobs * sizeof(std::uint64_t); }

  bool parse_one(remote::peer_listener* listener, std::uint64_t opening);
  void parse_message(const frame& f, std::span<const std::byte> body, remote::peer_listener* listener);
  void place_blobs(message& m, std::uint64_t number);
  void receive_blobs(message& m, std::uint64_t number, const deliveries::places& where);
  void tell_complete();

  const int from_;
  requests& requests_;
  deliveries& tells_;
  std::vector<std::byte> posted_;                // where the next batch goes
  std::deque<std::vector<std::byte>> unparsed_;  // batches that have come
  std::size_t parsed_ = 0;                       // bytes of the first of them
  batch_head head_{};                            // its head, once parsed_ > 0
  std::vector<std::vector<std::byte>> spare_;    // memory for batches
  std::deque<message> waiting_;                  // messages that are not yet told of, in order
  std::uint64_t first_waiting_ = 0;              // the number of the first
  std::size_t owed_ = 0;                         // waiting messages that must still be delivered
  std::uint64_t opening_ = 0;                    // of the peer, to which the next frame belongs
  bool has_left_ = false;
  std::vector<int> lost_to_peer_;
};

}  // namespace weir::detail::mpi
