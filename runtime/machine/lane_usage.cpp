#include "runtime/machine/lane_usage.hpp"

#include <algorithm>

#include "runtime/machine/worker_clocks.hpp"

namespace weir::detail {

void lane_usage::begin() {
  for (int i = 0; workers_ && i < workers_->count(); ++i) of_workers_.push_back(workers_->read(i));
  own_ = platform_.usage();
}

void lane_usage::end() {
  const thread_usage after = platform_.usage();
  cpu_seconds_ = after.cpu_seconds - own_.cpu_seconds;
  switches_ = static_cast<std::uint32_t>(after.involuntary_switches - own_.involuntary_switches);
  for (int i = 0; workers_ && i < workers_->count(); ++i)
    cpu_seconds_ = std::max(cpu_seconds_, workers_->read(i) - of_workers_[static_cast<std::size_t>(i)]);
}

}  // namespace weir::detail
