#pragma once

#include <mpi.h>

#include <chrono>
#include <vector>

#include "runtime/mpi/process_ids.hpp"
#include "runtime/remote/transport.hpp"

namespace weir::detail::mpi {

// measure_links() returns within this many times its `patience`, also where ranks stand still.
inline constexpr int most_patiences = 12;

// Measures the cost to reach each rank from rank 0, by rank. Costs are the shortest of a few round trips, of a few
// bursts of small messages, and of a few large messages. That takes about 5 ms for each rank while the others sleep.
// All ranks call it together, while no other thread calls MPI; `on` returns errors. A rank that does not answer within
// `patience`, or has ended, is not measured. At the other ranks the answer is empty.
std::vector<remote::link_cost> measure_links(MPI_Comm on, const process_ids& processes,
                                             std::chrono::steady_clock::duration patience);

}  // namespace weir::detail::mpi
