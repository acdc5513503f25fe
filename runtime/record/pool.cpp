#include <weir/record/pool.hpp>

#include <cstddef>
#include <new>
#include <utility>

#include <weir/threads/primitives.hpp>
#include "runtime/record/fresh_blocks.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/thread_memory.hpp"

namespace weir::pool {
namespace {

// The links lie in the block itself, so that giving one back needs no memory.
struct free_block {
  free_block* next;
  free_block* next_batch;  // of the first of a batch that lies in the depot
  int count;               // likewise: blocks of that batch
};

struct batch {
  free_block* first = nullptr;
  int count = 0;
};

// 64: one lock of the depot a 64 blocks is under a nanosecond each, and 8 kB is little to keep for a thread.
constexpr int batch_size = 64;

// One allocation for a whole batch. Blocks live as long as the process; one by one they would lie between what others
// allocate and free, and hold a page of the heap each.
batch fresh_batch() {
  auto* const memory =
      static_cast<std::byte*>(::operator new (batch_size* block_size, std::align_val_t{block_alignment}));
  batch made;
  for (int i = batch_size - 1; i >= 0; --i)
    made.first = ::new (memory + static_cast<std::size_t>(i) * block_size) free_block{made.first, nullptr, 0};
  made.count = batch_size;
  return made;
}

free_block* pop(batch& from) noexcept {
  --from.count;
  return std::exchange(from.first, from.first->next);
}

class thread_cache;

// Batches that no thread needs at the moment.
class depot {
 public:
  batch take() noexcept {
    const detail::lock_guard lock(mutex_);
    if (!batches_) return {};
    free_block* const first = std::exchange(batches_, batches_->next_batch);
    return {first, first->count};
  }

  void give(batch given) noexcept {
    if (!given.first) return;
    const detail::lock_guard lock(mutex_);
    given.first->count = given.count;
    given.first->next_batch = std::exchange(batches_, given.first);
  }

  detail::threads::atomic<long long> live_elsewhere{0};  // of threads that have ended, or have no cache
  WEIR_LOCK(pool_caches) caches_mutex;
  thread_cache* caches = nullptr;  // of running threads; under caches_mutex

 private:
  WEIR_LOCK(pool_blocks) mutex_;
  free_block* batches_ WEIR_GUARDED_BY(mutex_) = nullptr;
};

depot& shared_depot() {
  // Never destroyed, since threads may end after static destruction. Needs no memory from the heap.
  alignas(depot) static std::byte memory[sizeof(depot)];
  static auto* const it = ::new (memory) depot;
  return *it;
}

// Only allocate() asks for memory: releasing a block cannot fail.
class thread_cache {
 public:
  thread_cache() noexcept {
    const detail::lock_guard lock(shared_depot().caches_mutex);
    next_ = std::exchange(shared_depot().caches, this);
  }
  ~thread_cache() {
    shared_depot().give(std::exchange(mine_, {}));
    shared_depot().give(std::exchange(spare_, {}));
    const detail::lock_guard lock(shared_depot().caches_mutex);
    thread_cache** at = &shared_depot().caches;
    while (*at != this) at = &(*at)->next_;
    *at = next_;
    shared_depot().live_elsewhere += live_.exchange(0, std::memory_order_relaxed);
  }

  void* allocate() {
    if (!mine_.first) fill();
    free_block* const block = pop(mine_);
    __builtin_prefetch(mine_.first, 1);  // the next to give out: its link is read then, often in another core's cache
    count(+1);
    return block;
  }

  void release(void* block) noexcept {
    count(-1);
    if (mine_.count == batch_size) set_full_batch_aside();
    auto* const freed = ::new (block) free_block;
    freed->next = std::exchange(mine_.first, freed);
    ++mine_.count;
  }

  long long live() const { return live_.load(std::memory_order_relaxed); }
  const thread_cache* next() const { return next_; }

 private:
  // Kept out of the path that nearly every block takes.
  [[gnu::noinline]] void set_full_batch_aside() noexcept {
    shared_depot().give(spare_);
    spare_ = std::exchange(mine_, {});
  }
  [[gnu::noinline]] void fill() {
    mine_ = spare_.first ? std::exchange(spare_, {}) : shared_depot().take();
    if (!mine_.first) mine_ = fresh_batch();
  }

  // Only this thread writes the count. live() reads it and needs no order.
  void count(long long by) { live_.store(live_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed); }

  batch mine_, spare_;
  detail::threads::atomic<long long> live_{0};
  thread_cache* next_ = nullptr;  // under the depot's lock
};

}  // namespace

#ifdef WEIR_FRESH_BLOCKS
namespace {
detail::threads::atomic<long long> live_blocks{0};  // relaxed: a number only
}
void* allocate() {
  void* const block = ::operator new (block_size, std::align_val_t{block_alignment});
  live_blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}
void release(void* block) noexcept {
  live_blocks.fetch_sub(1, std::memory_order_relaxed);
  ::operator delete (block, std::align_val_t{block_alignment});
}
long long live() { return live_blocks; }
#else
namespace {
[[gnu::noinline]] void* without_cache() {
  batch some = shared_depot().take();
  if (!some.first) some = fresh_batch();
  void* const block = pop(some);
  shared_depot().give(some);
  ++shared_depot().live_elsewhere;
  return block;
}

[[gnu::noinline]] void release_without_cache(void* block) noexcept {
  shared_depot().give({::new (block) free_block{nullptr, nullptr, 0}, 1});
  --shared_depot().live_elsewhere;
}
}  // namespace
void* allocate() {
  thread_cache* const mine = detail::thread_memory<thread_cache>::here();
  return mine ? mine->allocate() : without_cache();
}
void release(void* block) noexcept {
  thread_cache* const mine = detail::thread_memory<thread_cache>::here();
  mine ? mine->release(block) : release_without_cache(block);
}
long long live() {
  depot& all = shared_depot();
  const detail::lock_guard lock(all.caches_mutex);
  long long sum = all.live_elsewhere;
  for (const thread_cache* c = all.caches; c; c = c->next()) sum += c->live();
  return sum;
}
#endif

}  // namespace weir::pool
