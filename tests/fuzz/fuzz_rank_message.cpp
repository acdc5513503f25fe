// The messages of another rank: a batch of messages, and in each a message of records. Each is read as it is meant,
// or refused; nothing is lost, and no number that came is an index or a size unchecked. The first byte tells how many
// blobs there are, whose sizes are two bytes each.
#include <cstdlib>
#include <stdexcept>

#include "runtime/mpi/frame.hpp"
#include "tests/runtime/remote/some_rank_messages.hpp"

using namespace weir;
using namespace weir::testing::rank_messages;

namespace {

void read_rank_message(some_rank_messages& make, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  sent s{};
  std::size_t blobs = static_cast<std::size_t>(bytes[0]) % 8;
  for (bytes = bytes.subspan(1); blobs > 0 && bytes.size() > 1; --blobs, bytes = bytes.subspan(2))
    s.sizes.push_back(static_cast<std::size_t>(bytes[0]) * 256 + static_cast<std::size_t>(bytes[1]));
  s.head.assign(bytes.begin(), bytes.end());
  try {
    make.read(s);
  } catch (const std::runtime_error&) {
  } catch (const type_error&) {
  }
}

void read_batch(some_rank_messages& make, std::span<const std::byte> batch) {
  using namespace detail::mpi;
  try {
    head_of(batch);
    for (std::span<const std::byte> rest = batch.subspan(sizeof(batch_head)); !rest.empty();) {
      const frame f = frame_at(rest);
      if (size_of(f) > rest.size()) std::abort();
      if (f.what == frame_kind::message) read_rank_message(make, rest.subspan(sizeof f, f.body));
      rest = rest.subspan(size_of(f));
    }
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static some_rank_messages make;
  const auto bytes = std::as_bytes(std::span(data, size));
  read_rank_message(make, bytes);
  read_batch(make, bytes);
  return 0;
}
