#include "bench/measurements/components/measured.hpp"

#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>

namespace weir::component_costs {
namespace {

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// Returns when all threads of the arena are running, or after a millisecond.
void wake(tbb::task_arena& arena, int cores) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::milliseconds(1);
  std::atomic<int> awake = 0;
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, cores, 1),
        [&](const tbb::blocked_range<int>&) {
          awake.fetch_add(1, std::memory_order_relaxed);
          while (awake.load(std::memory_order_relaxed) < cores && clock::now() < deadline) {
          }
        },
        tbb::simple_partitioner());
  });
}

measurement timed(const workload& work, int cores) {
  using clock = std::chrono::steady_clock;
  tbb::task_arena arena(cores);
  wake(arena, cores);
  const long switches = involuntary_switches();
  const auto start = clock::now();
  arena.execute(work.run);
  const std::chrono::duration<double> length = clock::now() - start;
  const bool disturbed = involuntary_switches() != switches;
  return {work.component, work.x, cores, length.count(), disturbed, work.is_right()};
}

}  // namespace

std::vector<measurement> measure(const std::vector<workload>& workloads, const std::vector<int>& cores, int repeats,
                                 std::uint64_t seed) {
  struct turn {
    const workload* work;
    int cores;
  };
  std::vector<turn> turns;
  for (const workload& work : workloads) {
    for (const int p : cores) {
      timed(work, p);
      turns.insert(turns.end(), static_cast<std::size_t>(repeats), {&work, p});
    }
  }
  std::mt19937_64 generator(seed);
  std::shuffle(turns.begin(), turns.end(), generator);
  std::vector<measurement> all;
  all.reserve(turns.size());
  for (const turn& t : turns) all.push_back(timed(*t.work, t.cores));
  return all;
}

}  // namespace weir::component_costs
