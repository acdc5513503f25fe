// Memory that runs out where the plan of a schedule says so: of one call of operator new, by whichever thread.
#include <algorithm>
#include <cstdlib>
#include <new>

#include "tests/schedules/explorer.hpp"

void* operator new(std::size_t size) {
  void* const memory = weir::testing::this_allocation_fails() ? nullptr : std::malloc(std::max<std::size_t>(size, 1));
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t to) {
  const auto alignment = static_cast<std::size_t>(to);
  void* const memory =
      weir::testing::this_allocation_fails()
          ? nullptr
          : std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
