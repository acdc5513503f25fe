#include "runtime/engine/emitters.hpp"

#include <array>

#include "runtime/threads/locks.hpp"

namespace weir::detail {

struct emitters::block {
  static constexpr int size = 16;  // half a kB; a kept emitter is recognised for 16 invocations at least
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

}  // namespace weir::detail
