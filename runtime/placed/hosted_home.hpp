#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "runtime/engine/run_environment.hpp"
#include "runtime/remote/rank_message.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/remote/window.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/streams/scope.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// One rank for which this rank runs a part: the credit between both, the positions of its calls, and all messages that
// say how calls end. A call is over when no record holds its position.
// Thread-safe, but for `owed`.
class hosted_home {
 public:
  // cut: the number of the part; number: of the call_entity at that rank.
  hosted_home(run_environment& run, remote::session& ranks, std::uint32_t cut, int rank, std::uint32_t number);
  ~hosted_home();

  // The home whose call has this position. REQUIRES: position() made it.
  static hosted_home& of(const order_slot& position);

  bool is_on_route() const { return before_ >= 0 || next_ >= 0; }
  bool gives_home() const { return next_ < 0; }  // else results go on to the next rank of the route
  int sender() const;                            // the rank from which its calls come
  int gives_to() const;                          // the rank to which results go

  // A position for a call, held once. Throws std::bad_alloc.
  order_slot* position(std::uint64_t call);
  // Takes the call along if this is its last holder: the message that carries its last result says that it is over.
  bool is_last(const order_slot& position) const noexcept;
  // A subcall of this call goes on to the next rank of the route.
  static void goes_on(order_slot& position) noexcept;

  // The handle of labels that stay at home until nothing here inherits them. Throws std::bad_alloc.
  remote::kept_handle handle(std::uint64_t call) const;

  // Lets all instances in a scope finish, and says so when they have. Throws std::bad_alloc.
  void finish(std::uint64_t call, scope& in);

  // The head of a message with results, or of one that asks for credit for these. Throws std::bad_alloc.
  remote::rank_message_writer result_message(remote::topic home, remote::topic route) const;
  // Says what this rank owes the sender of its calls. REQUIRES: the lock of hosted_homes, which guards `owed`. Throws
  // std::bad_alloc.
  void tell_credit(bool asked);

  const int rank;
  remote::sending_window credit;  // for results
  remote::owed_credit owed;       // for calls

 private:
  class listener;
  class over_calls;
  class over_finishing;
  class released_labels;
  struct ending {
    int left;         // instances that have not finished, and one for the call while it looks for them
    bool found_some;  // then the home asks again
  };

  bool take_failure(const failure& f, const record_body& r, std::uint64_t call) noexcept;
  void finished_one(std::uint64_t call) noexcept;
  void post_settled(std::uint64_t call, std::uint64_t second, std::uint8_t what) noexcept;

  run_environment& run_;
  remote::session& ranks_;
  const std::uint32_t cut_, number_;
  const int before_, next_;  // cuts on its route, or -1
  const std::unique_ptr<over_calls> calls_;
  const std::unique_ptr<over_finishing> finishings_;
  const std::shared_ptr<released_labels> labels_;

  WEIR_LOCK(calls) mutex_;
  std::map<std::uint64_t, ending> finishing_ WEIR_GUARDED_BY(mutex_);         // by call
  std::map<std::uint64_t, std::uint64_t> positions_ WEIR_GUARDED_BY(mutex_);  // of instances that finish: the call
  std::uint64_t opened_ WEIR_GUARDED_BY(mutex_) = 0;                          // positions so far
};

}  // namespace weir::detail
