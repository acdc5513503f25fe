#pragma once

#include <chrono>
#include <memory>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

namespace mpi {

// How ranks come together, find out that one is gone, and end. Plain data; each takes any std::chrono::duration, and
// more than ten years count as ten.
struct session_options {
  // A rank that says nothing for this time is lost: it was killed or stopped, or the network was cut. Ranks that have
  // nothing to send say something five times as often. Less than a second mistakes a busy machine for a dead one. Where
  // ranks name several, all keep to the longest.
  std::chrono::duration<double> silence{2};
  // MPI_Finalize waits for all ranks, for ever if one dies in it. If it takes longer, the process ends with status 1.
  std::chrono::duration<double> finalize_within{10};
  // The constructor waits this long for all ranks to come, and once more for each to say who it is; then it throws.
  // Ranks that do the same before come within less than a minute, on a busy machine as well.
  std::chrono::duration<double> begin_within{60};
};

// This process as one of the ranks of an MPI program. Every rank runs the same program, and constructs its session at
// the same point: the constructor waits for all ranks, as long as session_options::begin_within. Use:
//
//   int main() {
//     weir::mpi::session ranks;
//     std::cout << "rank " << ranks.rank() << " of " << ranks.size() << '\n';
//   }
//
// It initialises MPI unless the program has, and then finalises it as well. MPI must be usable from a thread of weir's:
// MPI_THREAD_SERIALIZED suffices if the program itself makes no calls of MPI while the session exists, otherwise it
// needs MPI_THREAD_MULTIPLE. A process has one session at a time. One thread constructs and destroys it; any thread may
// call the rest.
//
// The destructor waits until all other ranks destroy theirs, or are lost. If one was lost, it does not finalise MPI,
// since MPI would wait for that rank for ever. The process then ends as any other, by returning from main or by
// std::exit. A program that initialised MPI itself must then not finalise it either.
class session {
 public:
  // Throws std::logic_error when there is a session, or MPI was finalised. std::invalid_argument when an option is not
  // positive. std::runtime_error when MPI fails or cannot be used from another thread, or when a rank does not arrive
  // or has another version of weir. std::system_error when no thread can be started. After the last two MPI is not
  // finalised, as after a loss.
  explicit session(session_options o = {});
  ~session();
  session(const session&) = delete;

  int rank() const noexcept;  // from 0
  int size() const noexcept;  // number of ranks, the lost ones included

  // The ranks that are lost so far, in the order in which that was found out. Throws std::bad_alloc.
  std::vector<int> lost() const;

 private:
  struct [[gnu::visibility("hidden")]] state;
  std::unique_ptr<state> state_;
};

}  // namespace mpi

}  // namespace weir
