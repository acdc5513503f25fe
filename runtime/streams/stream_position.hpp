#pragma once

#include <cstdint>

namespace weir::detail {

// Where an entity lies in the stream, by its numbers in two orders that both go from the input to the output. One order
// has the first of parallel branches first, the other the last. So one entity is behind another exactly where both
// orders say so: a network of series and parallel parts has two dimensions (B. Dushnik and E. W. Miller, Partially
// ordered sets, American Journal of Mathematics 63, 1941). Plain data.
struct stream_position {
  std::uint32_t forward = 0, mirrored = 0;

  bool is_behind(const stream_position& other) const { return forward > other.forward && mirrored > other.mirrored; }
};

}  // namespace weir::detail
