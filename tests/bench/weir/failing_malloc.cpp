// To be preloaded: allocation number WEIR_FAILS_FROM of the process fails, and so do the WEIR_FAILS - 1 after it. At
// its end the process writes the number of allocations into the file WEIR_ALLOCATIONS_TO, if that is named.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

// The C library's own functions, under names that no other library replaces.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<long> made{0};

long number(const char* name) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : 0;
}

bool fails() {
  static const long from = number("WEIR_FAILS_FROM"), count = number("WEIR_FAILS");
  const long now = made.fetch_add(1, std::memory_order_relaxed) + 1;
  if (now < from || now - from >= count) return false;
  errno = ENOMEM;
  return true;
}

[[gnu::destructor]] void tell() {
  const char* const name = std::getenv("WEIR_ALLOCATIONS_TO");
  const long all = made.load();
  if (FILE* const to = name ? std::fopen(name, "w") : nullptr) {
    std::fprintf(to, "%ld\n", all);
    std::fclose(to);
  }
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }

[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}

[[gnu::visibility("default")]] void* realloc(void* block, std::size_t size) {
  return fails() ? nullptr : __libc_realloc(block, size);
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

[[gnu::visibility("default")]] int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = memalign(alignment, size);
  return *block || size == 0 ? 0 : ENOMEM;
}

}  // extern "C"
