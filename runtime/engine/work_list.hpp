#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/schedulable.hpp"
#include "scheduler/expect/group_share.hpp"

namespace weir::detail {

// The regions of a group that wait for a worker, and which of them is next. The one with the least virtual time is due.
// So parallel branches share a core by time, not by turns, and by their weights: start-time fair queueing (Goyal, Vin
// and Cheng, IEEE/ACM Transactions on Networking 5, 1997). A region that bounds all the others goes first: the time in
// which it rests is lost for the stream. Under its group's lock, but for the two hints.
class work_list {
 public:
  // Lists a region once more. Idle time is not made up for. Throws std::bad_alloc, having listed nothing.
  void add(schedulable& r);

  // Takes the region that is next off the list; null when there is none. for_sender: nor when senders may not run it.
  // lanes: the workers that may run regions of the list at the same time.
  schedulable* take_next(bool for_sender, int lanes);
  // Takes this region off the list; false when it is not there.
  bool take(const schedulable& r);
  // Takes all its places off the list; returns how many it had.
  std::size_t remove(schedulable& r);

  // After an activation of this region, while others waited.
  void charge(schedulable& r, double seconds);

  std::size_t size() const { return ready_.size(); }
  // Adds the records that could begin, in the regions of the list and in `from`, where an invocation of these seconds
  // begins. A region on the list counts as one at least: it may have outputs to deliver. O(n^2) of the places.
  void add_waiting(group_work& to, const schedulable& from, double seconds) const;
  int size_hint() const { return size_.load(std::memory_order_relaxed); }
  std::uint32_t taken_hint() const { return taken_.load(std::memory_order_relaxed); }  // regions that take_next() gave

 private:
  using places = boost::circular_buffer<schedulable*>;
  void unlist(places::iterator at);
  void account(schedulable& r, double seconds);  // work of this region, for the shares

  places ready_;                             // in the order of listing; grows, and keeps its memory
  threads::atomic<int> size_{0};             // a copy of its size, to read without the lock; relaxed, as the next
  threads::atomic<std::uint32_t> taken_{0};  // a count
  int passed_over_ = 0;                      // regions taken in front of the one that was due
  double virtual_time_ = 0;                  // no listed region has less
  double heaviest_ = 1;                      // the largest weight of a region so far
  double work_ = 0;                          // seconds of all regions so far; a turn that is not timed counts the least
};

}  // namespace weir::detail
