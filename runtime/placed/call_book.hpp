#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/placed/branch_ranks.hpp"
#include "runtime/placed/call_link.hpp"
#include "runtime/placed/finishing_calls.hpp"
#include "runtime/placed/held_results.hpp"
#include "runtime/placed/open_calls.hpp"
#include "runtime/placed/resend_after_loss.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/streams/scope.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class call_book;

// The instance of a part at another rank that stands for one scope at its home.
class remote_scope final : public entity_state {
 public:
  remote_scope(call_book& of, std::uint64_t n, int rank) : number(n), branch{rank}, of_(of) {}
  ~remote_scope() override;
  // Its state is at the other rank.
  bool forget(run_environment&, const error_site&) override;

  const std::uint64_t number;  // by which the other rank knows it; 0: the network's own
  branch_ranks::branch branch;
  bool has_begun = false;  // a record came to it since it finished

 private:
  call_book& of_;
};

// The calls of one home, their contexts, and the lock around all that is known of them. A call is work of the run from
// open() until it is done. Functions take the lock themselves; members are used under it.
class call_book {
 public:
  // state_index: of the part's state in a scope.
  call_book(call_link& link, std::size_t state_index);

  // branch: the scope of a record whose branch is spread by load. Throws std::bad_alloc, and has done nothing then.
  std::uint64_t open(open_call c, scope* branch = nullptr);
  void cancel(std::uint64_t number);
  // As open_calls::end(), for a position of a finishing call, too: gives up what the home kept for it.
  void end(int from, std::uint64_t number, bool done, bool released);
  // The record with the context of a call, or of a position, that another rank names. Throws std::runtime_error if it
  // does not exist.
  record_body* kept_of(int from, std::uint64_t number);

  // By at_entity: the rank that runs the record's branch; nothing: it lacks the tag. Throws std::bad_alloc.
  std::optional<int> place(const record_body& r);
  // The number by which the other rank knows its instance of the scope, which has work from now on.
  std::uint64_t begin_in(scope& in, int rank);
  void end_scope(const remote_scope& there) noexcept;

  // Drops all data of calls under way; false when there were none. REQUIRES: no other thread calls.
  bool drop_all() noexcept;

  mutable WEIR_LOCK(calls) calls_mutex;
  // ---- under the mutex ----
  remote_scope* find_scope(scope& in) const;
  remote_scope& scope_at(scope& in, int rank);  // made for the rank if it is not there. Throws std::bad_alloc
  open_calls calls;
  held_results results;
  finishing_calls finishing;
  branch_ranks branches;     // partly any thread's
  resend_after_loss resend;  // partly any thread's

  call_link& link;
  channel* inlet = nullptr;  // where records wait to be sent

 private:
  const std::size_t state_index_;
  std::uint64_t scopes_ = 0;
};

}  // namespace weir::detail
