#pragma once

#include "runtime/streams/stream_position.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

class group;
struct worker;

// A region as its group sees it. It has no thread of its own: the workers of its home group run it when there is work.
class schedulable {
 public:
  // By a worker that took it off its home's list. The first runs it until there is nothing to do or the worker is
  // needed elsewhere. The second runs one activation and leaves the rest to others.
  virtual void attend(worker& w) noexcept = 0;
  virtual void attend_once(worker& w) noexcept = 0;

  // Puts it on its home's list: call_worker() if there is work that no worker attends to, call_worker_to_deliver() in
  // any case, since outputs that were stuck may now leave.
  virtual void call_worker() noexcept = 0;
  virtual void call_worker_to_deliver() noexcept = 0;

  virtual bool lets_senders_in() const = 0;  // a sender may run it
  virtual bool is_brief() const = 0;         // a few of its records hardly delay other threads

  stream_position position;               // set before the run starts

  // By these its group chooses what runs next; under its home's lock, in seconds.
  double served = 0;  // the time of its turns so far; when it is listed at least that of the region that was due last
  double last_turn = 0;  // its last activation, while others waited; 0: not known

  threads::atomic<group*> home{nullptr};  // whose workers run it; changed under the old home's lock

 protected:
  ~schedulable() = default;
};

}  // namespace weir::detail
