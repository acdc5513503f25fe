#include "runtime/mpi/frame.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace weir::detail::mpi {
namespace {

[[noreturn]] void refuse_batch(const char* why) {
  throw std::runtime_error(std::string("it is no batch of messages: ") + why);
}

}  // namespace

batch_head head_of(std::span<const std::byte> batch) {
  batch_head head{};
  if (batch.size() < sizeof head) refuse_batch("it has no head");
  std::memcpy(&head, batch.data(), sizeof head);
  if (head.piece_bytes < least_piece_bytes || head.piece_bytes > most_piece_bytes)
    refuse_batch("its pieces have another size");
  return head;
}

frame frame_at(std::span<const std::byte> rest) {
  frame f{};
  if (rest.size() < sizeof f) refuse_batch("a frame is cut off");
  std::memcpy(&f, rest.data(), sizeof f);
  if (f.what > frame_kind::lost) refuse_batch("a frame is of no kind");
  if (f.what == frame_kind::message && f.body > rest.size() - sizeof f) refuse_batch("a message is cut off");
  if (f.blobs > f.body / sizeof(std::uint64_t)) refuse_batch("a message has more blobs than sizes");
  return f;
}

}  // namespace weir::detail::mpi
