#pragma once

#include <memory>
#include <vector>

#include "runtime/remote/transport.hpp"

namespace weir::detail::remote {

// Ranks within one process, each with a communicator's thread of its own: for tests, and for trying a placed network
// without MPI. Any thread may use it; each rank's transport is opened once.
class local_ranks {
 public:
  explicit local_ranks(int size);
  ~local_ranks();  // REQUIRES: all transports were closed, or never opened
  local_ranks(const local_ranks&) = delete;

  transport& rank(int r);

  // As if the rank were cut off: messages from it and to it no longer arrive, and the others hear that it is lost.
  // end_killed() lets it hear that it lost the others, so that its threads end.
  void kill(int r);
  void end_killed(int r);

 private:
  class one;
  std::vector<std::unique_ptr<one>> all_;
};

}  // namespace weir::detail::remote
