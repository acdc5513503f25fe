#include "runtime/record/pool.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "runtime/threads/locks.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define WEIR_FRESH_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_FRESH_BLOCKS 1
#endif
#endif

namespace weir::pool {
namespace {

struct free_block {
  free_block* next;
};

void* fresh() { return ::operator new (block_size, std::align_val_t{block_alignment}); }
void discard(void* block) noexcept { ::operator delete (block, std::align_val_t{block_alignment}); }

struct batch {
  free_block* first = nullptr;
  int count = 0;
};

class thread_cache;

// Full batches that no thread needs at the moment.
class depot {
 public:
  batch take() {
    const detail::lock_guard lock(mutex_);
    if (batches_.empty()) return {};
    const batch taken = batches_.back();
    batches_.pop_back();
    return taken;
  }

  void give(batch given) noexcept {
    try {
      const detail::lock_guard lock(mutex_);
      batches_.push_back(given);
    } catch (const std::bad_alloc&) {
      for (free_block* block = given.first; block;) discard(std::exchange(block, block->next));
    }
  }

  std::atomic<long long> live_elsewhere{0};  // of threads that have ended, or have no cache
  WEIR_LOCK(pool_caches) caches_mutex;
  thread_cache* caches = nullptr;  // of the threads that are there

 private:
  WEIR_LOCK(pool_blocks) mutex_;
  std::vector<batch> batches_;
};

depot& shared_depot() {
  // Never destroyed: threads may end after static destruction. No memory is asked for.
  alignas(depot) static std::byte memory[sizeof(depot)];
  static auto* const it = ::new (memory) depot;
  return *it;
}

// 64: one lock of the depot a 64 blocks is under a nanosecond each, and 8 kB is little to keep for a thread.
constexpr int batch_size = 64;

// Nothing in here asks for memory but fresh(), so that what is released never fails.
class thread_cache {
 public:
  // When its thread begins to use it, and when that ends.
  void join() noexcept {
    const detail::lock_guard lock(shared_depot().caches_mutex);
    next_ = std::exchange(shared_depot().caches, this);
  }
  void leave() noexcept {
    if (mine_.count) shared_depot().give(std::exchange(mine_, {}));
    if (spare_.count) shared_depot().give(std::exchange(spare_, {}));
    const detail::lock_guard lock(shared_depot().caches_mutex);
    thread_cache** at = &shared_depot().caches;
    while (*at != this) at = &(*at)->next_;
    *at = next_;
    shared_depot().live_elsewhere += live_.exchange(0, std::memory_order_relaxed);
  }

  void* allocate() {
    void* block;
    if (!mine_.first) mine_ = spare_.first ? std::exchange(spare_, {}) : shared_depot().take();
    if (mine_.first) {
      --mine_.count;
      block = std::exchange(mine_.first, mine_.first->next);
      __builtin_prefetch(mine_.first, 1);  // the next to give out: its link is read then, often in another core's cache
    } else {
      block = fresh();
    }
    count(+1);
    return block;
  }

  void release(void* block) noexcept {
    count(-1);
    if (mine_.count == batch_size) {
      if (spare_.count) shared_depot().give(spare_);
      spare_ = std::exchange(mine_, {});
    }
    mine_.first = ::new (block) free_block{mine_.first};
    ++mine_.count;
  }

  long long live() const { return live_.load(std::memory_order_relaxed); }
  const thread_cache* next() const { return next_; }

 private:
  // Written by this thread only; read by live(), which needs no order.
  void count(long long by) { live_.store(live_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed); }

  batch mine_, spare_;
  std::atomic<long long> live_{0};
  thread_cache* next_ = nullptr;  // under the depot's lock
};

// A plain pointer is read without asking first whether this thread has made its cache. That the thread ends is told by
// a key: for a thread_local with a destructor the C library needs memory, and ends the process when there is none.
constinit thread_local thread_cache own;
constinit thread_local thread_cache* cache = nullptr;

void end_thread(void*) noexcept { std::exchange(cache, nullptr)->leave(); }

// Null: the system has no place for the key, so this thread does without.
[[gnu::noinline]] thread_cache* make_cache() noexcept {
  struct ends {
    pthread_key_t key{};
    bool made = pthread_key_create(&key, end_thread) == 0;
  };
  static const ends told;
  if (!told.made || pthread_setspecific(told.key, &own) != 0) return nullptr;
  own.join();
  return cache = &own;
}

inline thread_cache* cache_here() { return cache ? cache : make_cache(); }

}  // namespace

#ifdef WEIR_FRESH_BLOCKS
namespace {
std::atomic<long long> live_blocks{0};  // relaxed: a number only
}
void* allocate() {
  void* const block = fresh();
  live_blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}
void release(void* block) noexcept {
  live_blocks.fetch_sub(1, std::memory_order_relaxed);
  discard(block);
}
long long live() { return live_blocks; }
#else
namespace {
void* without_cache() {
  void* const block = fresh();
  ++shared_depot().live_elsewhere;
  return block;
}

void release_without_cache(void* block) noexcept {
  discard(block);
  --shared_depot().live_elsewhere;
}
}  // namespace
void* allocate() {
  thread_cache* const mine = cache_here();
  return mine ? mine->allocate() : without_cache();
}
void release(void* block) noexcept {
  thread_cache* const mine = cache_here();
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
