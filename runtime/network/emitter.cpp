#include <weir/network/emitter.hpp>

#include <stdexcept>

namespace weir {

// Inline here, as a public function of a library is not.
static inline const void* mark_of_thread() noexcept {
  thread_local const char mark = 0;
  return &mark;
}

const void* emitter::this_thread() noexcept { return mark_of_thread(); }

detail::emission& emitter::target() const {
  if (thread_.load(std::memory_order_relaxed) == mark_of_thread() && out_) [[likely]]
    return *out_;
  refuse();
}

void emitter::refuse() const {
  if (thread_.load(std::memory_order_relaxed) == this_thread())
    throw std::logic_error("an emitter was used after its box had returned: a box emits before it returns");
  throw std::logic_error(
      "an emitter was used by another thread than the one that runs its box: gather what other threads compute, and "
      "let the box emit it");
}

}  // namespace weir
