#pragma once

#include <cstddef>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Invocations of a shared group have one core each. Where fewer can run than the group has cores, an invocation that
// begins gets several, and keeps them until it ends. It is moldable (Feitelson et al., Theory and Practice in Parallel
// Job Scheduling, JSSPP 1997). Simulations and runs follow these rules alike.

// Whether the group divides its idle cores. Where components own cores it does not: these follow from times on one
// core.
bool divides_idle_cores(const allotment& given);

// The part that an invocation of one component may get.
struct group_share {
  int most_cores = 1;
  double seconds = 0;  // of an invocation on one core; 0: not known
};

// By its model an invocation is at least half as efficient on these cores as on one, and a tenth faster than on half of
// them. That is the knee (Eager, Zahorjan and Lazowska, IEEE Transactions on Computers 38, 1989). They are all of them
// while it is not known how its time changes with cores, and half where it was seen on no fewer, to learn that. They
// are half before its first invocation, so that others may begin; one among more components than cores, most of which
// are short. It is one core where the box may use or gains no more, takes less than a millisecond or several records,
// or where cores are of several kinds.
group_share share_in_group(const system_view& view, std::size_t component);

// The work of a group when an invocation begins there.
class group_work {
 public:
  // `cores`: of the group; `free`: those that no invocation uses; `running`: the other invocations. Each at least 0.
  group_work(int cores, int free, int running) : cores_(cores), free_(free), running_(running) {}

  // Records of a component that could begin now. Each keeps a core for itself if it takes at least half as long as the
  // invocation, and else counts by its time.
  void add_waiting(int records, double seconds, double seconds_of_next);

  // The cores that the invocation gets. At least 1, at most `free` and one.
  int cores_of_next(int most) const;

 private:
  const int cores_, free_, running_;
  int long_ = 0;      // waiting records
  double short_ = 0;  // likewise
};

}  // namespace weir
