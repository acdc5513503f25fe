#include "runtime/this_thread.hpp"

#include <utility>

#include "runtime/group.hpp"
#include "runtime/worker.hpp"

namespace weir::detail {

namespace {
thread_local const inside_call* innermost = nullptr;
thread_local worker* working = nullptr;
}  // namespace

inside_call::inside_call(const void* made_for) noexcept
    : made_for_(made_for), around_(std::exchange(innermost, this)) {}
inside_call::~inside_call() { innermost = around_; }

bool inside_call::any() noexcept { return innermost; }

bool inside_call::of(const void* made_for) noexcept {
  for (const inside_call* call = innermost; call; call = call->around_)
    if (call->made_for_ == made_for) return true;
  return false;
}

working_as::working_as(worker& w) noexcept : was_(std::exchange(working, &w)) {}
working_as::~working_as() { working = was_; }

bool working_as::any() noexcept { return working && working->sitting && !working->is_up; }

off_cores::off_cores() noexcept : up_(working_as::any() ? working : nullptr) {
  if (up_) up_->home->get_up(*up_);
}
off_cores::~off_cores() {
  if (up_) up_->home->sit_down_again(*up_);
}

}  // namespace weir::detail
