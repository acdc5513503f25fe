#include "bench/measurements/overhead/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long long> told{0};
thread_local int untold = 0;

void count() noexcept {
  constexpr int batch = 32;  // a shared counter that two cores write costs more than an allocation
  if (++untold < batch) return;
  told.fetch_add(untold, std::memory_order_relaxed);
  untold = 0;
}

void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  count();
  return p;
}

}  // namespace

// The other forms, of arrays and without exceptions, call these.
void* operator new(std::size_t size) { return counted(std::malloc(size ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace weir::overhead {

long long allocations() noexcept { return told.load(std::memory_order_relaxed) + untold; }

}  // namespace weir::overhead
