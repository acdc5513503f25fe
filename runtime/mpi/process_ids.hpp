#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace weir::detail::mpi {

// The processes of all ranks, so that one on this machine which has ended is known for that. Immutable.
class process_ids {
 public:
  // Waits for all ranks of the communicator. Throws std::runtime_error: MPI says no.
  explicit process_ids(MPI_Comm on);

  // Whether the process of the rank is known to have ended: it ran on this machine.
  bool has_ended(int rank) const;

 private:
  struct id {
    std::array<char, 40> machine{};  // Linux's number for this boot of it
    std::uint64_t name_space = 0;    // in which the process has its number
    std::int64_t number = 0;
  };
  static id own();

  const id own_;
  std::vector<id> all_;
};

}  // namespace weir::detail::mpi
