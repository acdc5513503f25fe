#pragma once

#include <functional>

namespace weir::testing {

// The number of threads of this process, from /proc/self/task; -1 if there is no such folder.
int thread_count();

// Makes oneTBB start all the workers that it will ever start for a run on this machine. oneTBB keeps its workers, so
// thread_count() before and after a run can then be compared.
void start_all_tbb_workers();

// Calls body(0) .. body(count - 1) in the caller's oneTBB arena, each as a separate task. Unlike a parallel_for in a
// test, it is not checked by the thread sanitizer. Data that the calls write must be atomic.
void as_tbb_tasks(int count, const std::function<void(int)>& body);

}  // namespace weir::testing
