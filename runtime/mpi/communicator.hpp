#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "runtime/mpi/call_watch.hpp"
#include "runtime/mpi/deliveries.hpp"
#include "runtime/mpi/failure_watch.hpp"
#include "runtime/mpi/incoming.hpp"
#include "runtime/mpi/open_state.hpp"
#include "runtime/mpi/outbox.hpp"
#include "runtime/mpi/process_ids.hpp"
#include "runtime/mpi/requests.hpp"
#include "runtime/remote/transport.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail::mpi {

// The transport over MPI. It has one thread, the only one that calls MPI while this exists, and never in a call that
// blocks: those spin. The thread polls without a pause while there is traffic, then sleeps, first shortly, then for up
// to four milliseconds at a time; what is sent here wakes it immediately. A second thread sees to it that MPI returns:
// if it does not, the first is given up, and this rank has lost all others.
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
  int size() const override { return size_; }
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
  enum class asked { nothing, to_open, to_close, to_leave };
  using time = std::chrono::steady_clock::time_point;

  struct peer {
    peer(int from, requests& r, deliveries& tells) : in(from, r, tells) {}
    incoming in;
    int batches_out = 0, parts_out = 0;  // under way
    time sent_at{};                      // the last batch
    std::chrono::nanoseconds gathers{0};  // for so long after it, the next one is filled
    bool is_lost = false;
    bool is_told = false;  // of the loss, to the listener of this opening
    std::string why;
  };
  template <class F>
  void each_peer(const F& f) {
    for (int p = 0; p < size_; ++p)
      if (p != rank_) f(p, peers_[static_cast<std::size_t>(p)]);
  }

  void ask(asked what);
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
  void rest(time now);
  void guard() noexcept;
  void note_ended(std::vector<int>& ended) const;
  void stand_in(const std::vector<int>& ended);
  void end_guard();

  const int rank_, size_;
  const std::chrono::steady_clock::duration silence_;
  const std::vector<remote::link_cost> links_;
  const process_ids processes_;
  outbox outbox_;
  deliveries tells_{outbox_};
  call_watch calls_;

  mutable WEIR_LOCK(communicator) mutex_;
  condition done_, over_;
  asked asked_ WEIR_GUARDED_BY(mutex_) = asked::nothing;
  remote::peer_listener* listener_to_open_ WEIR_GUARDED_BY(mutex_) = nullptr;
  std::vector<int> lost_ WEIR_GUARDED_BY(mutex_);
  bool is_over_ WEIR_GUARDED_BY(mutex_) = false;
  threads::atomic<bool> is_asked_{false};  // relaxed: a hint to look
  open_state open_;
  bool has_left_ = false;  // of the thread that leaves

  // Of the communicator's thread.
  requests requests_;
  std::deque<peer> peers_;  // peers do not move
  failure_watch watch_;
  remote::peer_listener* listener_ = nullptr;
  std::uint64_t opening_ = 0;
  bool is_closing_ = false, is_leaving_ = false, is_gathering_ = false;
  time worked_at_, processes_looked_at_{};

  bool is_stuck_ = false;  // MPI does not return: the guard's thread has stood in; read when that has ended
  threads::thread thread_, guard_;
};

}  // namespace weir::detail::mpi
