#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/remote/cut_plan.hpp"
#include "runtime/remote/rank_message.hpp"
#include "runtime/remote/transport.hpp"
#include "runtime/remote/window.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::remote {

// The subjects of messages between ranks.
enum class topic : std::uint32_t {
  // Before the run. Texts of hello: of a greeting; of refused: why.
  hello,
  ready,
  refused,
  // From the home of a cut to its far side. Items: (number of the call, scope).
  call,
  start,              // of initialisers
  finish,             // of some folds: the next of a scope; the answer says whether more are left
  scope_ended,        // (0, scope)
  gives_credit,       // (records, bytes); an answer ends with all so far, as a total
  asks_calls_credit,  // of a home that made no progress: it lacks credit
  // From a cut to the next on its route, and back. The first item is (rank of the home, 0).
  forward,          // (number of the part of the call, number of the call whose labels are inherited)
  forwards_credit,  // as gives_credit
  asks_forwards_credit,
  // From the far side to the home. Items: (number of the call, number of the call whose labels are inherited).
  give,
  opened,        // (number of a call of finish, number of a position within)
  part_over,     // done: (number of the call or a part of it, parts that went on from it)
  failed,        // ((kind, rank), as above); texts: path, entity, cause
  calls_credit,  // as gives_credit
  asks_gives_credit,
  // About the whole run.
  ask,     // rank 0 wants a report
  report,  // and has it: texts
  drained,
  stopped,
  ended,  // a rank has ended, and sends nothing any more: texts of its report
  broken  // a rank ended by an error: (kind), texts: path, entity, cause
};

// One side of one cut, on one rank. Called by the thread of the listener; must not block. A message with a number that
// does not exist here is an std::runtime_error: its rank counts as lost.
class link_end {
 public:
  virtual void receive(int from, topic what, rank_message&& p) = 0;
  virtual void lost(int rank) = 0;  // and the run goes on without it

 protected:
  ~link_end() = default;
};

// The receiver of messages about the whole run. Called as link_end is.
class session_owner {
 public:
  virtual void told(int from, topic what, rank_message&& p) = 0;  // topics of the whole run
  virtual void lost(int rank, const std::string& why) = 0;

 protected:
  ~session_owner() = default;
};

// The ranks that run one network together, as one of them knows them. Thread-safe.
class session final : public peer_listener {
 public:
  // Opens the transport, and waits until all ranks have greeted. Throws as agreed() when another rank does not fit this
  // one, and run_error when a rank is lost.
  session(transport& over, const network& net, std::string version, const window_limits& limits);
  ~session() override;  // closes
  session(const session&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(peers_.size()); }
  const cut_plan& plan() const { return plan_; }
  packer& packs() { return packer_; }
  const window_limits& limits() const { return limits_; }  // agreed by all ranks
  int cores(int rank) const { return cores_[static_cast<std::size_t>(rank)]; }
  bool goes_on_without(int lost) const { return limits_.reassigns && plan_.survives(lost); }

  // Before ready(): who hears of a cut, as its home and as its far side, and who of the run.
  // A part of the network may be laid out several times on one rank, and so may the home of a cut in it: each gets a
  // number.
  std::uint32_t attach_home(link_end& to) {
    homes_.push_back(&to);
    return static_cast<std::uint32_t>(homes_.size() - 1);
  }
  void attach_far(std::size_t cut, link_end& to) { fars_[cut] = &to; }
  void attach(session_owner& to);

  // Says that this rank is ready to run, and waits until all are. Throws run_error when one is lost or refuses.
  void ready();
  // Says that this rank will not run, and why.
  void refuse(const std::string& why) noexcept;

  // To one rank. Throws std::bad_alloc.
  void send(int to, rank_message_writer&& p) { over_.send(to, std::move(p).finish()); }
  // To all others, about the whole run. Without memory a rank may not hear of it.
  void tell_all(topic what, const std::vector<std::string>& texts = {}) noexcept;
  void tell(int to, topic what, const std::vector<std::string>& texts = {}, std::uint64_t number = 0);

  // Sends the queued messages, and receives nothing any more. Idempotent.
  void close() noexcept { over_.close(); }

 private:
  struct peer {
    std::vector<std::string> hello;  // as it came; read once all have greeted
    bool has_greeted = false, is_ready = false, is_lost = false;
    std::string refused;
    std::deque<rank_message> placed;  // whose blobs are on their way
    bool is_unreadable = false;       // it sent a malformed message; its messages are ignored
  };

  bool is_quick(std::size_t bytes) const override;
  std::vector<std::span<std::byte>> place(int from, std::uint32_t kind, std::span<const std::byte> head,
                                          std::span<const std::size_t> sizes) override;
  void received(int from, std::uint32_t kind, std::span<const std::byte> head) override;
  void lost(int rank, std::string why) override;
  void dispatch(int from, topic what, rank_message&& p);
  void cannot_read(int from, const std::exception& why);
  void greet(const network& net, std::string version);
  void wait_for(bool (*is_there)(const peer&));

  transport& over_;
  const int rank_;
  window_limits limits_;  // constant once all have greeted
  const cut_plan plan_;
  packer packer_;
  std::vector<link_end*> homes_, fars_;

  WEIR_LOCK(session) mutex_;
  session_owner* owner_ WEIR_GUARDED_BY(mutex_) = nullptr;
  condition changed_;
  std::vector<int> cores_;   // by rank; constant once all have greeted
  std::vector<peer> peers_;  // the last two of each are the listener's thread's alone
};

}  // namespace weir::detail::remote
