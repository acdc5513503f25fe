#include "tests/model/allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

// In a separate file: if the compiler sees these and a caller, it warns of a mismatched pair.
namespace {
// Relaxed: these are counts and order nothing.
std::atomic<long> allocations{0}, bytes{0};
}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<long>(size), std::memory_order_relaxed);
  return std::malloc(size > 0 ? size : 1);
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::test {

long allocation_count() { return allocations.load(std::memory_order_relaxed); }

long allocated_bytes() { return bytes.load(std::memory_order_relaxed); }

}  // namespace weir::test
