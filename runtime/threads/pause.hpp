#pragma once

namespace weir::detail {

// Tells the core that this thread spins. Takes some 40 ns, during which the core's other hardware thread has the core.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace weir::detail
