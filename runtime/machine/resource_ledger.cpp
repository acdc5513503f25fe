#include "runtime/machine/resource_ledger.hpp"

#include <algorithm>
#include <stdexcept>

#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

resource_ledger::account& resource_ledger::open(const std::string& name, std::int64_t total) {
  const lock_guard lock(mutex_);
  account& one = accounts_[name];
  if (one.runs_ > 0 && one.total_ != total)
    throw std::invalid_argument("resource " + name + ": its total is " + std::to_string(total) +
                                ", but another run on this machine has it with a total of " +
                                std::to_string(one.total_));
  if (one.runs_ == 0) {  // else other runs read them, without the lock
    one.name_ = name;
    one.total_ = total;
  }
  ++one.runs_;
  return one;
}

void resource_ledger::close(account& of) noexcept {
  const lock_guard lock(mutex_);
  if (--of.runs_ == 0) accounts_.erase(accounts_.find(of.name_));
}

resource_ledger::snapshot resource_ledger::seen(const account& of) const {
  const lock_guard lock(mutex_);
  return {of.in_use_, of.peak_};
}

// One pass over the requests: each gets its amounts, or reserves them against the requests behind it. The pass ends
// where nothing is left that any request waits for.
void resource_ledger::grant_in_order() {
  const auto rest = [](const account& of) { return of.total_ - of.in_use_ - of.reserved_; };
  const auto is_open = [&](const account& of) { return of.waiting_ > 0 && rest(of) > 0; };
  std::ptrdiff_t open = 0;
  for (auto& [name, of] : accounts_) {
    of.reserved_ = 0;
    open += is_open(of);
  }
  for (auto at = waiting_.begin(); open > 0 && at != waiting_.end();) {
    request& r = *at++;
    const bool fits = std::all_of(r.amounts.begin(), r.amounts.end(),
                                  [&](const demand& d) { return d.amount == 0 || d.amount <= rest(*d.of); });
    for (const demand& d : r.amounts) open -= is_open(*d.of);
    for (const demand& d : r.amounts) {
      account& of = *d.of;
      if (fits)
        of.peak_ = std::max(of.peak_, of.in_use_ += d.amount);
      else
        of.reserved_ = d.amount < of.total_ - of.reserved_ ? of.reserved_ + d.amount : of.total_;
    }
    if (fits) leave(r);
    for (const demand& d : r.amounts) open += is_open(*d.of);
    if (!fits) continue;
    r.is_granted = true;
    r.granted.notify_one();
  }
}

void resource_ledger::enter(request& r) {
  waiting_.push_back(r);
  for (const demand& d : r.amounts) d.of->waiting_ += d.amount > 0;
}

void resource_ledger::leave(request& r) {
  waiting_.erase(waiting_.iterator_to(r));
  for (const demand& d : r.amounts) d.of->waiting_ -= d.amount > 0;
}

bool resource_ledger::acquire(std::span<const demand> amounts, const threads::atomic<bool>& cancelled, bool may_wait) {
  if (std::all_of(amounts.begin(), amounts.end(), [](const demand& d) { return d.amount == 0; })) return true;
  request mine;
  mine.amounts = amounts;
  unique_lock lock(mutex_);
  enter(mine);
  grant_in_order();
  if (!mine.is_granted && may_wait) {
    lock.unlock();
    const off_cores meanwhile;  // those who have it may wait for a run that needs these cores
    lock.lock();
    mine.granted.wait(lock, [&] { return mine.is_granted || cancelled.load(); });
    if (!mine.is_granted) {
      leave(mine);
      grant_in_order();
    }
    lock.unlock();
    return mine.is_granted;
  }
  if (!mine.is_granted) leave(mine);
  return mine.is_granted;
}

void resource_ledger::release(std::span<const demand> amounts) noexcept {
  const lock_guard lock(mutex_);
  for (const demand& d : amounts) d.of->in_use_ -= d.amount;
  grant_in_order();
}

void resource_ledger::wake() noexcept {
  const lock_guard lock(mutex_);
  for (request& r : waiting_) r.granted.notify_one();
}

}  // namespace weir::detail
