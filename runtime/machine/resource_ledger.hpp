#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The resources of a machine, how much of each invocations have, and who waits. A request gets all its amounts together
// or waits, so requests never wait for each other in a circle. It waits only for holders and for requests before it.
// A later one gets its amounts earlier only if the rest suffices for all those before it. Thread-safe.
class resource_ledger {
 public:
  class account {
   public:
    // They never change while a run has the account.
    const std::string& name() const { return name_; }
    std::int64_t total() const { return total_; }

   private:
    friend class resource_ledger;
    std::string name_;
    std::int64_t total_ = 0;
    std::int64_t in_use_ = 0, peak_ = 0;
    std::int64_t reserved_ = 0;  // by requests that wait, in one pass over them
    int waiting_ = 0;            // requests that want some of it
    int runs_ = 0;
  };
  struct demand {
    account* of;
    std::int64_t amount;  // 0 to the total
  };

  // Opens the account of a resource for a run, until close(). Throws std::invalid_argument if another run has it with
  // another total.
  account& open(const std::string& name, std::int64_t total);
  void close(account& of) noexcept;
  // in_use: now. peak: the largest at a time since the first of the runs opened the account.
  struct snapshot {
    std::int64_t in_use = 0, peak = 0;
  };
  snapshot seen(const account& of) const;

  // Waits for the amounts, which are of different accounts. False: it was cancelled; then nothing is held. A thread
  // that sets `cancelled` calls wake() afterwards. may_wait: otherwise false where it would have to.
  bool acquire(std::span<const demand> amounts, const threads::atomic<bool>& cancelled, bool may_wait = true);
  void release(std::span<const demand> amounts) noexcept;
  void wake() noexcept;

 private:
  struct request : boost::intrusive::list_base_hook<> {
    std::span<const demand> amounts;
    bool is_granted = false;
    condition granted;
  };
  void grant_in_order() WEIR_REQUIRES(mutex_);
  void enter(request& r) WEIR_REQUIRES(mutex_);
  void leave(request& r) WEIR_REQUIRES(mutex_);

  mutable WEIR_LOCK(resources) mutex_;
  std::map<std::string, account> accounts_ WEIR_GUARDED_BY(mutex_);
  boost::intrusive::list<request> waiting_ WEIR_GUARDED_BY(mutex_);  // in the order in which they asked
};

}  // namespace weir::detail
