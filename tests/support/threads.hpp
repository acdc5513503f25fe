#pragma once

namespace weir::testing {

// Threads of this process at this moment, from /proc/self/task; -1 where there is no such thing.
int thread_count();

// Makes oneTBB start all the workers it will ever start for a run on this machine, so that thread_count() before and
// after a run can be compared: oneTBB keeps its workers.
void start_all_tbb_workers();

}  // namespace weir::testing
