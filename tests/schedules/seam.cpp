// The operations of the runtime, as a schedule's explorer sees them.
#include <exception>
#include <memory>
#include <utility>

#include "tests/schedules/controlled.hpp"

namespace weir::testing {

schedule_run run_schedule(const std::function<void()>& program, const schedule_plan& plan,
                          const schedule_bounds& bounds,
                          const std::function<void(const std::string& why, const schedule_run& so_far)>& failed) {
  explorer e(plan, bounds, failed);
  current = &e;
  schedule_run done = e.run(program);
  current = nullptr;
  return done;
}

bool a_fault_comes() { return current && current->may_lose(); }
bool this_start_fails() { return current && current->start_fails(); }
bool this_binding_fails() noexcept { return current && current->binding_fails(); }
double this_reading_is_off() noexcept { return current ? current->clock_error() : 0; }
bool this_allocation_fails() noexcept { return self && !exploring && current->allocation_fails(); }
void note_pairs_in(std::uint64_t* bits) { pairs = bits; }

}  // namespace weir::testing

namespace weir::detail::scheduled {

using testing::current;
using testing::self;

// Not inlined, so that the return address is in the code that does the operation.
[[gnu::noinline]] void point(operation what, const void* at) noexcept {
  if (self) current->point(what, at, __builtin_return_address(0));
}

[[gnu::noinline]] bool wait_on(operation what, const void* at, double until) noexcept {
  if (!self) std::terminate();  // no thread would wake it
  return current->wait(what, at, until, __builtin_return_address(0));
}

void wake_one(const void* at) noexcept {
  if (self) current->wake(at, false);
}

void wake_all(const void* at) noexcept {
  if (self) current->wake(at, true);
}

double now() noexcept { return current ? current->now() : 0; }

struct thread::state {
  testing::controlled_thread* is;
};

thread::thread(std::function<void()> body) : state_(std::make_shared<state>()) {
  if (!self) std::terminate();  // threads belong to a program that is explored
  point(operation::start, this);
  state_->is = &current->add(std::move(body));
}

void thread::join() {
  current->join(*state_->is, __builtin_return_address(0));
  state_ = nullptr;
}

void thread::detach() {
  state_->is->is_detached = true;
  state_ = nullptr;
}

}  // namespace weir::detail::scheduled
