#pragma once

#include <mpi.h>

#include <chrono>
#include <vector>

#include "runtime/remote/transport.hpp"

namespace weir::detail::mpi {

// Measures what it costs to reach each rank from rank 0, by rank: the shortest of a few messages there and back, of a
// few bursts of small messages, and of a few large ones, in about 5 ms for each rank while the others sleep. All ranks
// call it together, while nothing else uses `on`, which returns errors. What does not answer within `patience` is not
// measured. At the other ranks the answer is empty.
std::vector<remote::link_cost> measure_links(MPI_Comm on, std::chrono::steady_clock::duration patience);

}  // namespace weir::detail::mpi
