#pragma once

#include <cstdint>

#include <weir/network/network.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/record/per_shape.hpp"
#include "runtime/run/callers.hpp"
#include "runtime/streams/results.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

// Takes records into a run. Thread-safe.
class alignas(64) run_input {
 public:
  struct rules {
    bool keeps_unread_results;  // results are without bound while only the sender could read them
    bool runs_inline;           // option inline_send
  };
  // entry: the network's first entity; shared: the group that runs it, unless a component of its own cores does.
  run_input(run_environment& run, const network& net, rules how, results& out, callers& who, entity& entry,
            group& shared)
      : run_(run), net_(net), how_(how), results_(out), callers_(who), entry_(entry), shared_(shared) {}

  // As in execution. send() waits for room; try_send() takes the record only if there is some.
  void send(record r);
  bool try_send(const record& r);

  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }

 private:
  void check_fits(const record& r);
  void note_sending_thread();
  bool try_push(record_body* body);
  bool let_in(record_body& r);
  void not_let_in(record_body& r);
  bool run_here(owned_body& mine);
  void await_place(const order_slot& place);
  [[noreturn]] void refuse(const record_body& r);

  run_environment& run_;
  const network& net_;
  const rules how_;
  results& results_;
  callers& callers_;
  entity& entry_;
  group& shared_;
  short_waits waits_;                       // of senders for room
  threads::atomic<std::uint64_t> sent_{0};  // relaxed: a number only
  per_shape<bool> accepted_;                // shapes of records that fit
};

// Throws std::logic_error, naming the call, in a thread that this run may wait for. For use before a wait that might
// then never end.
void refuse_own_threads(const run_environment& run, const char* call);

}  // namespace weir::detail
