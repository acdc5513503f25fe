#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__) || defined(__SSE__)
#include <xmmintrin.h>
#define WEIR_HAS_MXCSR 1
#endif

#include <weir/threads/primitives.hpp>

namespace weir::detail {

// The control state of a thread's floating-point unit: rounding mode, flush-to-zero, trapped exceptions. The flags of
// exceptions that have occurred are not part of it. Plain data. On processors other than x86: the rounding mode alone.
class float_state {
 public:
  static float_state now() noexcept;  // of the calling thread
  void set() const noexcept;

  // Whether the calling thread is set so. It reads one register, which costs 1 to 4 ns. The x87 unit, which only long
  // double uses, is not compared.
  bool holds() const noexcept { return main_now() == main_; }
  void keep_all() const noexcept;  // of the x87 unit, too

  class scope;

 private:
#ifdef WEIR_HAS_MXCSR
  static constexpr unsigned occurred = 0x3f;  // the bits that say which exceptions have occurred
  static unsigned main_now() noexcept { return _mm_getcsr() & ~occurred; }
#else
  static unsigned main_now() noexcept { return static_cast<unsigned>(std::fegetround()); }
#endif

  unsigned main_ = 0;
  std::uint16_t x87_ = 0;
};

// While it exists, the calling thread is set as `to`; then as before.
class float_state::scope {
 public:
  explicit scope(const float_state& to) noexcept : before_(now()) { to.keep_all(); }
  ~scope() { before_.keep_all(); }
  scope(const scope&) = delete;

 private:
  const float_state before_;
};

// While it exists, the calling thread computes as C++ begins: to nearest, with subnormal numbers, without traps. weir's
// own computations use NaN and infinity, so they run in it, whatever state the program has set. Afterwards the state
// and the flags of exceptions that have occurred are as before.
class standard_floats {
 public:
  standard_floats() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~standard_floats() { std::fesetenv(&before_); }
  standard_floats(const standard_floats&) = delete;

 private:
  std::fenv_t before_;
};

// The state that the invocations of a run begin with, and which boxes may change. Reading it takes as long as a short
// box, so it is compared after timed invocations and after each batch of the others. It is compared after every
// invocation once a box of the run was seen to change it. Thread-safe.
class kept_floats {
 public:
  explicit kept_floats(const float_state& of) : state_(of) {}

  const float_state& state() const { return state_; }

  // Compares the calling thread's state, and restores it.
  void keep() noexcept {
    if (!state_.holds()) [[unlikely]]
      restore();
  }
  // The same after an invocation that need not be compared. Relaxed: a thread that reads an older value compares later.
  [[gnu::always_inline]] void keep_if_changed_before() noexcept {
    if (changed_before()) [[unlikely]]
      keep();
  }
  // Whether a box of the run was seen to change it. Relaxed, as above.
  bool changed_before() const { return changes_.load(std::memory_order_relaxed); }
  // Whether the calling thread has another state, inside an invocation. compares: else only if one did before.
  bool differs(bool compares) noexcept {
    if ((!compares && !changed_before()) || state_.holds()) [[likely]]
      return false;
    changes_.store(true, std::memory_order_relaxed);
    return true;
  }

 private:
  void restore() noexcept;

  const float_state state_;
  threads::atomic<bool> changes_{false};
};

}  // namespace weir::detail
