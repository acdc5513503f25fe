#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "components/row_ranges.hpp"

namespace components {

// Calls body(begin, end) for every range of row_ranges(rows, cores, longest), on the task arena of the caller and with
// its number of cores; returns when all are done. A simple partitioner, because the ranges are already as few as
// balance allows: one task each, and a core that is late is helped by the others.
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
