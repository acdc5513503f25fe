#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/mpi/process_ids.hpp"

namespace weir::detail::mpi {

// Each rank tells the others this when the session is made. Its layout is the same in all versions, so that ranks of
// two versions find that out.
struct introduction {
  std::array<char, 32> version{};  // of weir
  std::int64_t silence_ns = 0;     // session_options::silence
  process_ids::id process{};
};

// The two steps in which the ranks of a session come together. All ranks call both, one after the other, from one
// thread each. No call waits in MPI, so a rank that does not come is found out.
//
// Both throw std::runtime_error: MPI says no, or not all ranks have come within this time of the process. Then MPI may
// still use memory, which is never freed, and must not be finalised.

// A communicator of the session's own, with all ranks of MPI_COMM_WORLD, that returns errors.
MPI_Comm own_communicator(std::chrono::nanoseconds within);
// The introductions of all ranks, by rank. The error names those that did not come.
std::vector<introduction> introduce(MPI_Comm on, const introduction& own, std::chrono::nanoseconds within);

// The silence after which a rank is lost, on every rank of the session: the longest that a rank wants. Throws
// std::runtime_error: two ranks have different versions of weir.
std::chrono::nanoseconds agreed_silence(const std::vector<introduction>& all);

std::string words_of_time(std::chrono::duration<double> time);  // "1.5 s"

}  // namespace weir::detail::mpi
