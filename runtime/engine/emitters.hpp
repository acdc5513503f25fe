#pragma once

#include <weir/network/emitter.hpp>

namespace weir::detail {

// The emitters of one worker's invocations. A box that keeps a reference to its emitter, and uses it after it has
// returned or from another thread, gets an exception. So the memory of an emitter is never used for anything else, even
// once the worker and the run are gone, and it serves another invocation only after some others. Used by one thread at
// a time.
class emitters {
 public:
  emitters() = default;
  ~emitters();
  emitters(const emitters&) = delete;

  // For an invocation of the calling thread, until end(). Throws std::bad_alloc.
  emitter& begin(emission& out) {
    if (!first_) grow();
    emitter& e = *first_;
    first_ = e.next_;
    e.out_ = &out;
    e.thread_.store(emitter::this_thread(), std::memory_order_relaxed);
    return e;
  }
  void end(emitter& e) noexcept {
    e.out_ = nullptr;
    append(e);
  }

 private:
  struct block;
  struct unused_blocks;
  static unused_blocks& unused();
  void grow();
  void append(emitter& e) noexcept {
    e.next_ = nullptr;
    (first_ ? last_->next_ : first_) = &e;
    last_ = &e;
  }

  emitter *first_ = nullptr, *last_ = nullptr;  // that no invocation uses; the first for the longest time
  block* blocks_ = nullptr;
};

}  // namespace weir::detail
