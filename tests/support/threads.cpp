#include "tests/support/threads.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#if defined(WEIR_UNDER_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::testing {

int thread_count() {
  std::error_code none;
  int count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/task", none);
       !none && entry != std::filesystem::directory_iterator(); entry.increment(none))
    ++count;
  return none ? -1 : count;
}

void start_all_tbb_workers() {
  const int all = static_cast<int>(std::thread::hardware_concurrency()) + 1;  // the number that a run on all cores
                                                                              // allows
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(all));
  tbb::task_arena arena(all);
  arena.execute([&] {
    std::atomic<int> arrived{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    tbb::parallel_for(
        0, all,
        [&](int) {
          ++arrived;
          while (arrived < all && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        },
        tbb::simple_partitioner{});
  });
}

void as_tbb_tasks(int count, const std::function<void(int)>& body) {
#if defined(WEIR_UNDER_THREAD_SANITIZER)
  // The library's ordering, which the sanitizer cannot see: before the loop, its tasks, after the loop.
  struct ordered {
    void* loop;
    explicit ordered(const void* l) : loop(const_cast<void*>(l)) { __tsan_acquire(loop); }
    ~ordered() { __tsan_release(loop); }
  };
  struct around {
    void* loop;
    explicit around(const void* l) : loop(const_cast<void*>(l)) { __tsan_release(loop); }
    ~around() { __tsan_acquire(loop); }
  } const all(&body);
  const auto task = [&](int i) {
    const ordered one(&body);
    body(i);
  };
#else
  const auto& task = body;
#endif
  tbb::parallel_for(0, count, task, tbb::simple_partitioner{});
}

}  // namespace weir::testing
