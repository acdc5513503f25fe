#include "runtime/threads/this_thread.hpp"

#include <utility>

namespace weir::detail {

namespace {
thread_local const inside_call* innermost = nullptr;
thread_local core_holder* working = nullptr;
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

working_as::working_as(core_holder& w) noexcept : was_(std::exchange(working, &w)) {}
working_as::~working_as() { working = was_; }

bool working_as::any() noexcept { return working && working->is_on_cores(); }
core_holder* working_as::current() noexcept { return working; }

off_cores::off_cores(until u) noexcept : left_(working_as::any() ? working : nullptr), until_(u) {
  if (left_) left_->leave_cores();
}
off_cores::~off_cores() {
  if (left_) left_->return_to_cores(until_ == until::any_cores);
}

}  // namespace weir::detail
