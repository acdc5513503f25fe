#pragma once

namespace weir::testing {

// The program's operator new, replaced by one that fails when a test says so: with std::bad_alloc, or null where the
// caller asked for that.
enum class whose { mine, others };  // allocations of the calling thread, or of all threads but it

// While one exists, the allocations number first, first + 1, .., first + count - 1 fail, counted from 0.
class failing_memory {
 public:
  failing_memory(whose of, long first, long count);
  ~failing_memory();
  failing_memory(const failing_memory&) = delete;

  static long failed();  // since the latest was made
};

// While one exists, allocations of the calling thread neither fail nor count.
class spared {
 public:
  spared();
  ~spared();
  spared(const spared&) = delete;
};

}  // namespace weir::testing
