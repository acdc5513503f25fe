#pragma once

#include <memory>
#include <optional>

#include <weir/network/network.hpp>
#include <weir/options/options.hpp>
#include <weir/run/execution.hpp>

namespace weir::program {

inline constexpr const char* mpi_help = "On all ranks, by mpirun -n RANKS weir ...; rank 0 reads, writes and reports";

// `--mpi`: the runs of a command on all ranks that mpirun started. Without it, this process is the only one. For use by
// one thread.
class rank_runs {
 public:
  // Waits for the other ranks. Throws bad_input where weir was built without weir::mpi.
  explicit rank_runs(bool with_mpi);
  ~rank_runs();
  rank_runs(const rank_runs&) = delete;

  int count() const;
  bool is_first() const;  // which reads and writes for all

  // Starts a run on all ranks. At the others it returns when that is over, without an execution. Throws as start.
  std::optional<execution> start(const network& net, options o) const;

 private:
  struct ranks;
  std::unique_ptr<ranks> ranks_;  // null: there is this process alone
};

}  // namespace weir::program
