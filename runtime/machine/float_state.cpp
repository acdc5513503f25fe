#include "runtime/machine/float_state.hpp"

namespace weir::detail {

namespace {
#ifdef WEIR_HAS_MXCSR
std::uint16_t x87_now() noexcept {
  std::uint16_t word;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
}
#else
std::uint16_t x87_now() noexcept { return 0; }
#endif
}  // namespace

float_state float_state::now() noexcept {
  float_state s;
  s.main_ = main_now();
  s.x87_ = x87_now();
  return s;
}

void float_state::keep_all() const noexcept {
  if (!holds() || x87_now() != x87_) set();
}

void kept_floats::restore() noexcept {
  state_.set();
  changes_.store(true, std::memory_order_relaxed);
}

#ifdef WEIR_HAS_MXCSR
void float_state::set() const noexcept {
  _mm_setcsr(main_ | (_mm_getcsr() & occurred));
  asm volatile("fldcw %0" : : "m"(x87_));
}
#else
void float_state::set() const noexcept { std::fesetround(static_cast<int>(main_)); }
#endif

}  // namespace weir::detail
