#pragma once

#include <cstddef>
#include <cstdint>

// The calls of programs that use MPI themselves, on MPI_COMM_WORLD. Both ranks call each. Times are in seconds.
namespace plain {

// A message there and back: half of the time, on the average of `times`.
double hop(std::size_t bytes, int times);

// Records of 64 bytes from rank 0 to rank 1, gathered by 512 to two buffers in turn: seconds for all.
double records(std::uint64_t count);

}  // namespace plain
