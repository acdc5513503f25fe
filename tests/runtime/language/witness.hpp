#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"

// The view that boxes on this machine's cores have of their place: affinity masks and core numbers from the system.
namespace weir::testing {

inline std::vector<int> affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  std::vector<int> cpus;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &mask)) cpus.push_back(i);
  return cpus;
}

inline bool contains(const std::vector<int>& set, int value) {
  return std::find(set.begin(), set.end(), value) != set.end();
}

// Observes boxes, and checks that forbidden events never happen. Each check counts its violations and keeps the first
// in words.
class witness {
 public:
  void expect(bool holds, const char* what) {
    ++looks_;
    if (holds) return;
    const std::lock_guard lock(mutex_);
    if (violations_++ == 0) first_ = what;
  }

  // An invocation: has its cores exclusively from begin to end, with one constant affinity mask.
  class invocation {
   public:
    invocation(witness& w, const grant& g) : witness_(w), cpus_(g.cpus()), at_begin_(affinity()) {
      static std::atomic<int> next{0};
      const int me = ++next;
      for (const int cpu : cpus_)
        witness_.expect(witness_.holder_[static_cast<std::size_t>(cpu)].exchange(me) == 0,
                        "two invocations hold one core at the same time");
      auto sorted = cpus_;
      std::sort(sorted.begin(), sorted.end());
      witness_.expect(at_begin_ == sorted, "the affinity of the thread is not its grant");
      witness_.expect(contains(cpus_, sched_getcpu()), "a box runs outside its grant");
      witness_.seen(g.size());
    }
    ~invocation() {
      witness_.expect(affinity() == at_begin_, "the affinity of the thread changed within an invocation");
      witness_.expect(contains(cpus_, sched_getcpu()), "a box ends outside its grant");
      for (const int cpu : cpus_) witness_.holder_[static_cast<std::size_t>(cpu)].store(0);
    }

   private:
    witness& witness_;
    const std::vector<int> cpus_, at_begin_;
  };

  // A parallel loop inside an invocation: it runs on the lane's cores only, possibly on all of them.
  std::int64_t loop(const grant& g, std::int64_t value) {
    expect(tbb::this_task_arena::max_concurrency() == g.size(), "the arena is not as wide as the grant");
    std::atomic<std::int64_t> sum{0};
    std::mutex ids_mutex;
    std::set<std::thread::id> ids;
    tbb::parallel_for(0, 4 * g.size(), [&](int) {
      {
        const std::lock_guard lock(ids_mutex);
        ids.insert(std::this_thread::get_id());
      }
      expect(contains(g.cpus(), sched_getcpu()), "a parallel loop runs outside its grant");
      auto part = static_cast<std::uint64_t>(value);
      for (int i = 0; i < 2000; ++i) part = part * 31 + static_cast<std::uint64_t>(i);
      sum += static_cast<std::int64_t>(part & 0xff);
    });
    expect(static_cast<int>(ids.size()) <= g.size(), "a parallel loop runs on more threads than its grant has cores");
    return sum;
  }

  void seen(int cores) { sizes_[static_cast<std::size_t>(std::min(cores, 63))].store(true); }
  bool saw_grant_of(int cores) const { return sizes_[static_cast<std::size_t>(std::min(cores, 63))]; }

  void expect_no_violation() {
    EXPECT_GT(looks_, 0);
    EXPECT_EQ(violations_, 0) << "of " << looks_ << " looks; the first: " << first_;
  }

 private:
  std::array<std::atomic<int>, CPU_SETSIZE> holder_{};
  std::array<std::atomic<bool>, 64> sizes_{};
  std::atomic<std::int64_t> looks_{0}, violations_{0};
  std::mutex mutex_;
  std::string first_ = "none";
};

// Three boxes of one to hundreds of microseconds; the second contains a parallel loop.
inline network watched(witness& w) {
  return box("first", takes(n), gives(n),
             [&w](const grant& g, std::int64_t v) {
               const witness::invocation here(w, g);
               return v + 1;
             }) >>
         box("second", takes(n), gives(n, k),
             [&w](const grant& g, std::int64_t v) {
               const witness::invocation here(w, g);
               return std::pair(v, w.loop(g, v));
             }) >>
         box("third", takes(n), gives(n), [&w](const grant& g, std::int64_t v) {
           const witness::invocation here(w, g);
           w.loop(g, v);
           return v;
         });
}

}  // namespace weir::testing
