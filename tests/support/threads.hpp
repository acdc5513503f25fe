#pragma once

#include <functional>

namespace weir::testing {

// Threads of this process at this moment, from /proc/self/task; -1 where there is no such thing.
int thread_count();

// Makes oneTBB start all the workers it will ever start for a run on this machine, so that thread_count() before and
// after a run can be compared: oneTBB keeps its workers.
void start_all_tbb_workers();

// Calls body(0) .. body(count - 1) in oneTBB's arena of the caller, each as a task of its own. Other than a
// parallel_for in a test, the thread sanitizer does not look into it; what the calls write must be atomic.
void as_tbb_tasks(int count, const std::function<void(int)>& body);

}  // namespace weir::testing
