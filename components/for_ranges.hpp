#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "components/row_ranges.hpp"

namespace components {

// Calls body(begin, end) for every range of row_ranges(rows, cores, longest) on the caller's task arena, with that
// arena's number of cores. Returns when all calls have returned. It uses a simple partitioner because row_ranges
// already makes as few ranges as a balanced load allows. Each range is one task, and idle cores take over the tasks of
// a late one.
template <typename Body>
void for_ranges(std::size_t rows, std::size_t longest, const Body& body) {
  const auto cores = static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
  const row_ranges ranges(rows, cores, longest);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, ranges.size(), 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) body(ranges.begin(i), ranges.end(i));
      },
      tbb::simple_partitioner());
}

}  // namespace components
