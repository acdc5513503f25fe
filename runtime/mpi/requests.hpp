#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/mpi/call_watch.hpp"

namespace weir::detail::mpi {

// A request of MPI, and the data that it is about.
struct operation {
  enum class kind { batch_in, part_in, batch_out, part_out } what;
  int peer;
  std::uint64_t message = 0;                      // part_in: the number of the message that the part belongs to
  std::vector<std::byte> frames{};                // batch_out: its memory
  std::shared_ptr<const void> keeps{};            // part_out: what keeps its memory
  std::size_t bytes = 0;                          // batch_in, when it is there; of a piece
  std::size_t whole = 0;                          // part_out: the bytes of all its pieces
  int error = MPI_SUCCESS;                        // MPI's, when it failed
  std::chrono::steady_clock::time_point begun{};  // part_out: when MPI got it

  // A batch without frames says only that who sends it lives.
  bool is_sign_of_life() const {
    return error == MPI_SUCCESS && (what == kind::batch_out ? frames.empty() : what == kind::batch_in && bytes == 0);
  }
};

// The requests of MPI that are under way, on one communicator that returns errors. No call blocks. Used by one thread.
class requests {
 public:
  // `soon`: the time within which a piece should be sent.
  requests(MPI_Comm on, call_watch& watch, std::chrono::steady_clock::duration soon)
      : on_(on), watch_(watch), soon_(soon) {}
  requests(const requests&) = delete;

  // Sends or receives a part as MPI messages of at most `piece` bytes, on both sides; returns their number. MPI gets
  // only some of them at a time. It sends those that it has in turns, so with all of them no piece would arrive over a
  // slow link for long, and no sign of life either.
  std::size_t receive_part(int peer, std::uint64_t message, std::span<std::byte> into, std::size_t piece);
  std::size_t send_part(int peer, std::span<const std::byte> part, std::shared_ptr<const void> keeps,
                        std::size_t piece);
  // How large pieces to this peer had better be now.
  std::size_t piece_bytes(int peer) const;
  void receive_batch(int peer, std::span<std::byte> into);
  void send_batch(int peer, std::vector<std::byte> frames);

  // Lets MPI work. Returns the operations that are done since, or failed; valid until the next call.
  std::vector<operation>& poll();

  // No request of this peer is told of any more. MPI may still write to their memory, or read it: it stays for ever.
  void give_up(int peer);

  // The last call: gives up all.
  void end();

  // Whether parts are under way, which MPI moves only while it is polled.
  bool has_parts() const { return parts_ > 0; }

 private:
  // The pieces of one peer in one direction, in their order.
  struct lane {
    struct piece {
      operation what;  // with its bytes
      std::byte* at;
    };
    std::deque<piece> waiting{};
    std::size_t with_mpi = 0, allowed = 0;  // bytes
  };
  // To a peer, and from it.
  struct lanes {
    lane out, in;
    lanes();
  };
  lane& lane_of(const operation& o);
  void put(operation o, std::byte* at, std::size_t bytes);
  void go_on(lane& l);
  void is_done(const operation& o);
  void add(operation o, MPI_Request request, int error);
  void remove(std::size_t i);

  const MPI_Comm on_;
  call_watch& watch_;
  const std::chrono::steady_clock::duration soon_;
  std::vector<MPI_Request> requests_;
  std::vector<operation> operations_;  // of these requests
  std::vector<operation> done_, failed_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::size_t parts_ = 0;
  std::map<int, lanes> lanes_;  // of each peer that had parts
};

// MPI's text for an error.
std::string text_of(int error);
// For a call while a session is made. Throws std::runtime_error that names it, unless this is MPI_SUCCESS.
void require_success(int error, const char* call);

}  // namespace weir::detail::mpi
