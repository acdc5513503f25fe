#include "runtime/pool.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

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

class depot;
depot& shared_depot();

// Full batches that no thread needs at the moment.
class depot {
 public:
  batch take() {
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) return {};
    const batch taken = batches_.back();
    batches_.pop_back();
    return taken;
  }

  void give(batch given) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      batches_.push_back(given);
    } catch (const std::bad_alloc&) {
      for (free_block* block = given.first; block;) discard(std::exchange(block, block->next));
    }
  }

  std::atomic<long long> live_elsewhere{0};  // of threads that have ended
  std::mutex counters_mutex;
  std::vector<const std::atomic<long long>*> counters;

 private:
  std::mutex mutex_;
  std::vector<batch> batches_;
};

depot& shared_depot() {
  static auto* const it = new depot;  // never destroyed: threads may end after static destruction
  return *it;
}

// 64: one lock of the depot a 64 blocks is under a nanosecond each, and 8 kB is little to keep for a thread.
constexpr int batch_size = 64;

class thread_cache {
 public:
  thread_cache() {
    const std::lock_guard lock(shared_depot().counters_mutex);
    shared_depot().counters.push_back(&live_);
  }
  ~thread_cache() {
    if (mine_.count) shared_depot().give(mine_);
    if (spare_.count) shared_depot().give(spare_);
    const std::lock_guard lock(shared_depot().counters_mutex);
    std::erase(shared_depot().counters, &live_);
    shared_depot().live_elsewhere += live_;
  }

  void* allocate() {
    count(+1);
    if (!mine_.first) {
      mine_ = spare_.first ? std::exchange(spare_, {}) : shared_depot().take();
      if (!mine_.first) return fresh();
    }
    --mine_.count;
    return std::exchange(mine_.first, mine_.first->next);
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

 private:
  // Written by this thread only; read by live(), which needs no order.
  void count(long long by) { live_.store(live_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed); }

  batch mine_, spare_;
  std::atomic<long long> live_{0};
};

// A plain pointer is read without asking first whether this thread has made its cache.
constinit thread_local thread_cache* cache = nullptr;

[[gnu::noinline]] thread_cache& make_cache() {
  thread_local thread_cache own;
  cache = &own;
  return own;
}

inline thread_cache& cache_here() { return cache ? *cache : make_cache(); }

}  // namespace

#ifdef WEIR_FRESH_BLOCKS
namespace {
std::atomic<long long> live_blocks{0};  // relaxed: a number only
}
void* allocate() {
  live_blocks.fetch_add(1, std::memory_order_relaxed);
  return fresh();
}
void release(void* block) noexcept {
  live_blocks.fetch_sub(1, std::memory_order_relaxed);
  discard(block);
}
long long live() { return live_blocks; }
#else
void* allocate() { return cache_here().allocate(); }
void release(void* block) noexcept { cache_here().release(block); }
long long live() {
  depot& all = shared_depot();
  const std::lock_guard lock(all.counters_mutex);
  long long sum = all.live_elsewhere;
  for (const auto* counter : all.counters) sum += counter->load(std::memory_order_relaxed);
  return sum;
}
#endif

}  // namespace weir::pool
