#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace weir::detail::mpi {

// The processes of all ranks, so that one on this machine which has ended is known for that. Immutable.
class process_ids {
 public:
  struct id {
    std::array<char, 40> machine{};  // Linux's number for this boot of it
    std::uint64_t name_space = 0;    // in which the process has its number
    std::int64_t number = 0;
  };
  static id own();

  // By rank.
  explicit process_ids(std::vector<id> all) : own_(own()), all_(std::move(all)) {}

  // Whether the process of the rank is known to have ended: it ran on this machine.
  bool has_ended(int rank) const;

 private:
  const id own_;
  const std::vector<id> all_;
};

}  // namespace weir::detail::mpi
