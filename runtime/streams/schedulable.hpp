#pragma once

#include <atomic>

namespace weir::detail {

class group;
struct worker;

// What has no thread of its own and is run by the workers of its home when there is something to do: a region.
class schedulable {
 public:
  // By a worker that took it off its home's list: runs it until there is nothing to do or the worker is needed
  // elsewhere. The second runs one activation, and leaves the rest to others.
  virtual void attend(worker& w) noexcept = 0;
  virtual void attend_once(worker& w) noexcept = 0;

  // Puts it on its home's list if there is something that nobody attends to; the second in any case, since outputs that
  // were stuck may now leave.
  virtual void call_worker() noexcept = 0;
  virtual void call_worker_to_deliver() noexcept = 0;

  virtual bool lets_senders_in() const = 0;  // a sender may run it
  virtual bool is_brief() const = 0;         // nobody waits for a few of its records

  std::atomic<group*> home{nullptr};  // whose workers run it; changed under the old home's lock

 protected:
  ~schedulable() = default;
};

}  // namespace weir::detail
