#include "bench/measurements/sizes/live_bytes.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace weir::sizes {

std::atomic<long long> live_bytes{0}, peak_bytes{0};

}  // namespace weir::sizes

namespace {

using weir::sizes::live_bytes, weir::sizes::peak_bytes;

thread_local long long untold = 0;

void count_bytes(long long change) noexcept {
  constexpr long long often = 16384;
  untold += change;
  if (untold < often && untold > -often) return;
  const long long now = live_bytes.fetch_add(untold, std::memory_order_relaxed) + untold;
  untold = 0;
  long long before = peak_bytes.load(std::memory_order_relaxed);
  while (before < now && !peak_bytes.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  count_bytes(static_cast<long long>(malloc_usable_size(p)));
  return p;
}

void uncounted(void* p) noexcept {
  if (p) count_bytes(-static_cast<long long>(malloc_usable_size(p)));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { uncounted(p); }
