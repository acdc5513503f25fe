#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <weir/threads/scheduled.hpp>
#include "tests/schedules/explorer.hpp"

// The runner of one schedule. For explorer.cpp and seam.cpp only.
namespace weir::testing {

using detail::scheduled::forever;
using detail::scheduled::operation;

struct controlled_thread {
  int number = 0;
  std::thread native;
  std::binary_semaphore turn{0};
  bool finished = false;
  bool is_detached = false;
  const void* waits_for = nullptr;
  double until = forever;
  int spins = 0;   // one after the other
  int rounds = 0;  // of destructors at its end
  operation doing = operation::start;
  const void* where = nullptr;  // in the code: of its last operation
  bool called = false;          // by wake()
  std::int64_t priority = 0;
};

class explorer {
 public:
  explorer(const schedule_plan& plan, const schedule_bounds& bounds,
           const std::function<void(const std::string&, const schedule_run&)>& failed)
      : plan_(plan), bounds_(bounds), failed_(failed), random_(plan.seed) {
    if (plan_.how == strategy::priorities || plan_.how == strategy::writes)
      for (int i = 1; i < plan_.depth; ++i) drops_.push_back(below(std::max<std::uint64_t>(plan_.steps, 1)) + 1);
    // From a switch in two steps to one in 64.
    one_in_ = 2u << below(6);
    patience_ = plan.seed % 4 < 2 ? 0 : 1000;
  }

  schedule_run run(const std::function<void()>& program);
  controlled_thread& add(std::function<void()> body);
  void point(operation what, const void* at, const void* where);
  bool wait(operation what, const void* at, double until, const void* where);
  void wake(const void* at, bool all);
  void join(controlled_thread& other, const void* where);
  void end(controlled_thread& me);
  double now() const { return seconds_; }
  bool may_lose() const { return plan_.fails == fault::thread_start || plan_.fails == fault::allocation; }
  bool start_fails() { return ++starts_ == plan_.failing && plan_.fails == fault::thread_start; }
  bool binding_fails() { return ++bindings_ >= plan_.failing && plan_.fails == fault::binding; }
  double clock_error() {
    if (++done_.readings < plan_.failing) return 0;
    return plan_.fails == fault::clock_forward ? 10 : plan_.fails == fault::clock_back ? -0.1 : 0;
  }
  bool allocation_fails() { return ++done_.allocations == plan_.failing && plan_.fails == fault::allocation; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool can_run(const controlled_thread& t) const {
    return !t.finished && (!t.waits_for || t.called || t.until <= seconds_);
  }
  void go_on(controlled_thread& me, bool may_stay);
  controlled_thread* choose(controlled_thread& me, bool may_stay);
  controlled_thread* by_plan(controlled_thread& me, bool may_stay, const std::vector<controlled_thread*>& open);
  void hand_over(controlled_thread& me, controlled_thread& to);
  void take_over(controlled_thread& me);
  void note_pair(const void* at, const void* where, int thread);
  [[noreturn]] void fail(const std::string& why);
  std::string threads() const;

  const schedule_plan& plan_;
  const schedule_bounds& bounds_;
  const std::function<void(const std::string&, const schedule_run&)>& failed_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> drops_;
  std::uint64_t one_in_;
  int patience_ = 0;
  std::int64_t lowest_ = 0;
  std::uint64_t starts_ = 0, bindings_ = 0;
  std::vector<std::unique_ptr<controlled_thread>> threads_;
  std::vector<controlled_thread*> open_;  // of the step: other threads that can run
  controlled_thread* ended_ = nullptr;    // whose system thread is still to be waited for
  double seconds_ = 1;
  schedule_run done_;
  std::binary_semaphore over_{0};
  struct last_use {
    const void* where;
    int thread;
  };
  std::unordered_map<const void*, last_use> last_;
};

inline explorer* current = nullptr;  // of the schedule that runs
inline thread_local controlled_thread* self = nullptr;
inline thread_local bool exploring = false;  // this thread's allocations are the explorer's
inline std::uint64_t* pairs = nullptr;

class in_explorer {
 public:
  in_explorer() : was_(std::exchange(exploring, true)) {}
  ~in_explorer() { exploring = was_; }

 private:
  bool was_;
};

}  // namespace weir::testing
