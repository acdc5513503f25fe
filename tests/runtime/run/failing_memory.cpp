#include "tests/runtime/run/failing_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include <weir/record/pool.hpp>

// In a separate file: if the compiler sees these and a caller, it warns of a mismatched pair.
namespace {

constexpr long never = std::numeric_limits<long>::max();

std::atomic<bool> armed{false}, others_too{false};
std::atomic<long> so_far{0}, from{never}, until{never}, hits{0}, aligned{0};
thread_local bool is_tester = false;
thread_local int sparing = 0;

bool fails() noexcept {
  if (!armed.load() || sparing > 0 || is_tester == others_too.load()) return false;
  const long number = so_far.fetch_add(1);
  if (number < from.load() || number >= until.load()) return false;
  hits.fetch_add(1);
  return true;
}

void* taken(void* p) {
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

// The other forms, for arrays, call these.
void* operator new(std::size_t size) {
  if (fails()) throw std::bad_alloc();
  return taken(std::malloc(size ? size : 1));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  aligned.fetch_add(1);
  if (fails()) throw std::bad_alloc();
  const auto a = static_cast<std::size_t>(alignment);
  return taken(std::aligned_alloc(a, (size + a - 1) / a * a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(size ? size : 1);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace weir::testing {

failing_memory::failing_memory(whose of, long first, long count) {
  is_tester = true;
  others_too.store(of == whose::others);
  so_far.store(0);
  hits.store(0);
  from.store(first);
  until.store(count > never - first ? never : first + count);
  armed.store(true);
}
failing_memory::~failing_memory() {
  armed.store(false);
  is_tester = false;
}
long failing_memory::failed() { return hits.load(); }

void no_free_blocks::take() {
  for (const long before = aligned.load(); aligned.load() == before;) blocks_.push_back(pool::allocate());
}
no_free_blocks::~no_free_blocks() {
  for (void* block : blocks_) pool::release(block);
}

spared::spared() { ++sparing; }
spared::~spared() { --sparing; }

}  // namespace weir::testing
