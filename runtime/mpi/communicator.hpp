#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/mpi/call_watch.hpp"
#include "runtime/mpi/command_slot.hpp"
#include "runtime/mpi/deliveries.hpp"
#include "runtime/mpi/end_flag.hpp"
#include "runtime/mpi/incoming.hpp"
#include "runtime/mpi/open_state.hpp"
#include "runtime/mpi/outbox.hpp"
#include "runtime/mpi/peer_liveness.hpp"
#include "runtime/mpi/polling.hpp"
#include "runtime/mpi/process_ids.hpp"
#include "runtime/mpi/requests.hpp"
#include "runtime/remote/transport.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::mpi {

// The transport over MPI. It has one thread, the only one that calls MPI while this exists, and never in a call that
// blocks: those spin. The thread polls without a pause while there is traffic, then sleeps, first shortly, then for up
// to four milliseconds at a time; a message sent here wakes it immediately. A second thread sees to it that MPI
// returns: if it does not, the first is given up, and this rank has lost all others.
//
// The thread begins with this object, not when the transport is opened: from then on a rank that dies is found out. It
// may be opened again after it was closed; a rank that was lost before is told of again.
class communicator final : public remote::transport {
 public:
  // `on` returns errors and belongs to this object alone. A rank that is silent for `silence` is lost; one that has
  // not said anything yet has `begins_within` in addition. `links` are what links() gives. Throws std::system_error:
  // there is no thread.
  communicator(MPI_Comm on, process_ids processes, std::chrono::steady_clock::duration silence,
               std::chrono::steady_clock::duration begins_within, std::vector<remote::link_cost> links);
  // REQUIRES: leave() was called.
  ~communicator() override = default;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  std::vector<remote::link_cost> links() const override { return links_; }
  void send(int to, remote::message m) override { outbox_.put(to, std::move(m)); }
  void open(remote::peer_listener& listener) override;
  void close() override;

  // Ends the thread, when every other rank leaves, too, or is lost. False: ranks were lost, and this must never be
  // destroyed: MPI may still use its memory. Idempotent.
  bool leave();
  // The ranks that are lost so far. Any thread.
  std::vector<int> lost() const;

 private:
  using time = std::chrono::steady_clock::time_point;

  struct peer {
    peer(int from, requests& r, deliveries& tells) : in(from, r, tells) {}
    incoming in;
    int batches_out = 0, parts_out = 0;   // under way
    time sent_at{};                       // the last batch
    std::chrono::nanoseconds gathers{0};  // after it; until then the next one is filled
    bool is_lost = false;
    bool is_told = false;  // of the loss, to the listener of this opening
    std::string why;
  };
  // One opening of the transport.
  struct opening {
    remote::peer_listener* listener = nullptr;
    std::uint64_t number = 0;
    bool is_closing = false;  // what comes from now on is dropped, or waits for the next opening
  };
  template <class F>
  void each_peer(const F& f) {
    for (int p = 0; p < size(); ++p)
      if (p != rank_) f(p, peers_[static_cast<std::size_t>(p)]);
  }

  void ask(command what, remote::peer_listener* listener = nullptr);
  void run() noexcept;
  bool goes_on();
  bool obey();
  bool send_waiting(time now);
  bool receive();
  void completed(operation& o);
  void advance(int r, const deliveries::answer* placed = nullptr);
  bool take_answers();
  void look_after_peers(time now);
  void lose(int p, const std::string& why);
  void tell_of_lost();
  bool is_flushed();
  void guard() noexcept;
  void stand_in(const std::vector<int>& ended);
  void answer_alone();
  void end_guard();

  const int rank_;
  const std::vector<remote::link_cost> links_;
  outbox outbox_;
  deliveries tells_{outbox_};
  call_watch calls_;

  command_slot commands_;
  mutable WEIR_LOCK(communicator) mutex_;
  std::vector<int> lost_ WEIR_GUARDED_BY(mutex_);
  open_state open_;
  bool has_left_ = false;  // of the thread that leaves

  // Used by the communicator's thread alone.
  requests requests_;
  std::deque<peer> peers_;  // by rank, this one too; they do not move
  peer_liveness liveness_;
  polling polling_;
  opening opening_;
  bool is_leaving_ = false;

  end_flag is_over_;       // for the guard's thread
  bool is_stuck_ = false;  // MPI does not return: the guard's thread has stood in; read when that has ended
  threads::thread thread_, guard_;
};

}  // namespace weir::detail::mpi
