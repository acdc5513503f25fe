#pragma once

#include <vector>

namespace weir::testing {

// The program's operator new, replaced by one that fails when a test says so: with std::bad_alloc, or null if the
// caller asked for that.
enum class whose { mine, others };  // allocations of the calling thread, or of all other threads

// While an object exists, the allocations number first, first + 1, .., first + count - 1 fail, counted from 0.
class failing_memory {
 public:
  failing_memory(whose of, long first, long count);
  ~failing_memory();
  failing_memory(const failing_memory&) = delete;

  static long failed();  // since the latest object was made
};

// Takes and keeps the pool's free blocks, so that a further block needs memory.
class no_free_blocks {
 public:
  no_free_blocks() = default;
  ~no_free_blocks();
  no_free_blocks(const no_free_blocks&) = delete;
  void take();

 private:
  std::vector<void*> blocks_;
};

// While an object exists, allocations of the calling thread neither fail nor count.
class spared {
 public:
  spared();
  ~spared();
  spared(const spared&) = delete;
};

}  // namespace weir::testing
