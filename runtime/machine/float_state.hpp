#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(__SSE__)
#include <xmmintrin.h>
#define WEIR_HAS_MXCSR 1
#else
#include <cfenv>
#endif

namespace weir::detail {

// The control state of a thread's floating-point unit: rounding mode, flush-to-zero, trapped exceptions. The flags of
// exceptions that have occurred are not part of it. Plain data. On processors other than x86: the rounding mode alone.
class float_state {
 public:
  static float_state now() noexcept;  // of the calling thread
  void set() const noexcept;

  // Whether the calling thread is set so. It reads one register, which costs 1 to 4 ns. The x87 unit, which only long
  // double uses, is not looked at.
  bool holds() const noexcept { return main_now() == main_; }
  void keep() const noexcept {
    if (!holds()) [[unlikely]]
      set();
  }
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

}  // namespace weir::detail
