#pragma once

#include <weir/threads/primitives.hpp>
#include "runtime/streams/stream_position.hpp"

namespace weir::detail {

class group;
struct worker;

// A region as its group sees it. It has no thread of its own: the workers of its group run it when there is work.
class schedulable {
 public:
  // By a worker that took it off its group's list: runs activations until there is nothing to do or the worker is
  // needed elsewhere.
  virtual void attend(worker& w) noexcept = 0;
  // Runs one activation and leaves the rest to workers. By a sender's own thread, or by a worker inside an invocation.
  virtual void attend_once(worker& w) noexcept = 0;

  // By a worker whose invocation waits for room here: helps rather than release its cores. Runs one activation on its
  // own stack, then the region where the output went, if that may batch, while the output is in its cache. False when
  // nothing may be done now, when others do it, when it keeps others waiting, or when little of its stack is left.
  virtual bool help(worker& w) noexcept = 0;
  // Called by the same worker when it has nothing to help with. Spins briefly, since others may soon make room here.
  virtual void await_room(const worker& w) const = 0;

  // Puts this region on its group's list when there is work here without a worker. Either none attends to it, or there
  // is more than the attending workers take at a time and another may join. REQUIRES: the caller, or something that it
  // knows of, counts as work. A record that comes meanwhile relies on this call, and the run must not drain before the
  // region is listed.
  virtual void wake_worker() noexcept = 0;
  // The same for outputs that were stuck and may now leave. It lists the region in any case, since its workers may
  // themselves wait for those outputs to leave first.
  virtual void wake_worker_to_deliver() noexcept = 0;

  virtual bool allows_inline_send() const = 0;  // a sender may run it
  virtual bool may_batch() const = 0;           // a few of its records hardly delay other threads
  virtual int limit() const = 0;                // workers that may run it at the same time
  virtual int could_begin() const = 0;          // records that wait here, if there were workers for them. A hint

  stream_position position;  // set before the run starts

  // By these its group chooses what runs next; under the group's lock, in seconds.
  double virtual_time = 0;  // of its turns so far; when it is listed at least that of the list
  double weight = 1;        // a turn counts its seconds over this
  double last_turn = 0;     // its last activation, while others waited; 0: not known
  double share = 0;         // its part of the group's work, a mean that forgets
  double charged_at = 0;    // the group's work so far, at its last turn

  // Its boxes take that long for a record that enters it, by their models; 0: not known. Relaxed: a hint.
  threads::atomic<double> seconds_on_one_core{0};

  threads::atomic<group*> in_group{nullptr};  // whose workers run it; changed under the old group's lock

 protected:
  ~schedulable() = default;
};

}  // namespace weir::detail
