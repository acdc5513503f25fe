#include "runtime/threads/short_wait.hpp"

#include <weir/threads/primitives.hpp>
#include "runtime/threads/yield_limit.hpp"

namespace weir::detail {
namespace {

#ifdef WEIR_SCHEDULES
bool yields() {
  threads::yield();
  return true;
}
#else
std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(threads::clock::now().time_since_epoch()).count();
}

// False, immediately: a yield would be long.
bool yields() {
  static constinit yield_limit limit;  // for the process, since its threads share the cores
  const std::int64_t began = now();
  if (!limit.allows(began)) return false;
  threads::yield();
  limit.note(began, now());
  return true;
}
#endif

}  // namespace

bool short_wait::goes_on() noexcept {
  constexpr int all = 128;    // 5 us of pauses
  constexpr int few = 16;     // under a microsecond
  constexpr int a_yield = 7;  // pauses that a yield takes where no other thread wants the core
  if (is_over_) return false;
  if (pauses_ >= all || (pauses_ == 0 && !here_.pay())) {
    is_over_ = true;
    here_.failed();
    return false;
  }
  if (pauses_ >= few && yields()) {
    pauses_ += a_yield;
  } else {
    threads::pause();
    ++pauses_;
  }
  return true;
}

}  // namespace weir::detail
