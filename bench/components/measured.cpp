#include "bench/components/measured.hpp"

#include <sys/resource.h>
#include <tbb/task_arena.h>

#include <algorithm>
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

measurement timed(const workload& work, int cores) {
  using clock = std::chrono::steady_clock;
  tbb::task_arena arena(cores);
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
