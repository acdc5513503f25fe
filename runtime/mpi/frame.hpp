#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::detail::mpi {

// The kind of a frame of a batch. Batches are MPI messages of many frames, one behind the other.
enum class frame_kind : std::uint32_t {
  message,        // its body follows: the sizes of its blobs, then its head
  large_message,  // its body comes as a blob, before its own
  closed,         // the sender has closed its transport: later messages belong to its next opening
  left,           // the sender has left: it is not lost when it says nothing from here on
  lost            // the sender took another rank for lost
};

// The first bytes of a frame. All ranks run the same program on the same kind of machine.
struct frame {
  frame_kind what;
  std::uint32_t kind;   // of the message; or the lost rank
  std::uint64_t blobs;  // that belong to the message
  std::uint64_t body;   // bytes
};

// A batch in bytes, at most. Larger ones gain nothing: MPI's cost for each is a percent of the time to copy one.
inline constexpr std::size_t batch_bytes = 32 * 1024;

// The first bytes of a batch.
struct batch_head {
  std::uint64_t piece_bytes;  // of the pieces that the batch's blobs come in
};

// The head of a batch, and the frame at the beginning of its remaining bytes. Each throws std::runtime_error when there
// is none, or when its sizes exceed the bytes that are there.
batch_head head_of(std::span<const std::byte> batch);
frame frame_at(std::span<const std::byte> rest);
// The bytes that the frame takes of its batch.
inline std::size_t size_of(const frame& f) { return sizeof f + (f.what == frame_kind::message ? f.body : 0); }

// Blobs that go with one batch; more go with the next.
inline constexpr std::size_t batch_blobs = 64;

// Larger blobs go in pieces, each a message of MPI: what came of a blob shows that its sender lives. The larger they
// are, the less often they wait for an answer from the far side.
inline constexpr std::size_t least_piece_bytes = std::size_t{256} << 10, most_piece_bytes = std::size_t{4} << 20;

}  // namespace weir::detail::mpi
