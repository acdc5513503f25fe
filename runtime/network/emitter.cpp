#include "runtime/network/emitter.hpp"

#include <array>
#include <stdexcept>

#include "runtime/network/emitters.hpp"
#include "runtime/threads/locks.hpp"

namespace weir {

const void* emitter::this_thread() noexcept {
  thread_local const char mark = 0;
  return &mark;
}

detail::emission& emitter::target() const {
  if (thread_.load(std::memory_order_relaxed) == this_thread() && out_) [[likely]]
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

namespace detail {

struct emitters::block {
  static constexpr int size = 16;  // half a kB; a kept emitter is recognised for so many invocations at least
  std::array<emitter, size> all;
  block* next = nullptr;
};

struct emitters::unused_blocks {
  WEIR_LOCK(emitters) mutex;
  block* first WEIR_GUARDED_BY(mutex) = nullptr;
};

// Never destroyed: a thread may end after static destructors have run.
emitters::unused_blocks& emitters::unused() {
  static auto* const all = new unused_blocks;
  return *all;
}

emitters::~emitters() {
  while (block* const b = blocks_) {
    blocks_ = b->next;
    unused_blocks& all = unused();
    const lock_guard lock(all.mutex);
    b->next = all.first;
    all.first = b;
  }
}

void emitters::grow() {
  block* b = nullptr;
  {
    unused_blocks& all = unused();
    const lock_guard lock(all.mutex);
    b = all.first;
    if (b) all.first = b->next;
  }
  if (!b) b = new block;
  b->next = blocks_;
  blocks_ = b;
  for (emitter& e : b->all) append(e);
}

}  // namespace detail
}  // namespace weir
