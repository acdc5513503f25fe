#include "runtime/process/call_arenas.hpp"

#include <sys/sysinfo.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>

namespace weir::detail::processes {

// oneTBB would else have as many workers as the process had cores when it was started.
struct call_arenas::arenas {
  tbb::global_control workers{tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(std::max(1, get_nprocs_conf()))};
  std::map<int, tbb::task_arena> by_cores;
};

call_arenas::call_arenas() : arenas_(std::make_unique<arenas>()) {}
call_arenas::~call_arenas() = default;

void call_arenas::run(int cores, const std::function<void()>& f) {
  arenas_->by_cores.try_emplace(cores, std::min(cores, get_nprocs_conf())).first->second.execute(f);
}

}  // namespace weir::detail::processes
