#include "runtime/machine/lane_usage.hpp"

#include <algorithm>
#include <cmath>

namespace weir::detail {

void lane_usage::begin() {
  for (int i = 0; workers_ && i < workers_->count(); ++i) of_workers_.push_back(read(i));
  if (reads_delays_) own_delay_ = platform_.delay(platform_.own_cpu_clock());
  own_ = platform_.usage();
}

void lane_usage::end() {
  const thread_usage after = platform_.usage();
  cpu_seconds_ = after.cpu_seconds - own_.cpu_seconds;
  switches_ = static_cast<std::uint32_t>(after.involuntary_switches - own_.involuntary_switches);
  const double own_delay = reads_delays_ ? platform_.delay(platform_.own_cpu_clock()) - own_delay_ : 0;
  double computed = cpu_seconds_, delayed = own_delay, longest = computed + delayed;
  for (int i = 0; workers_ && i < workers_->count(); ++i) {
    const thread_times before = of_workers_[static_cast<std::size_t>(i)], now = read(i);
    // A delay that was read at one of the two ends alone counts for nothing.
    const thread_times of{now.computed - before.computed, std::max(0.0, now.delayed - before.delayed)};
    cpu_seconds_ = std::max(cpu_seconds_, of.computed);
    computed += of.computed;
    delayed += of.delayed;
    longest = std::max(longest, of.computed + of.delayed);
  }
  // The time that the threads wanted, as a multiple of the longest of them, is the number of threads that shared the
  // work, and so the delays. A thread that worked alone counts with its whole delay.
  if (!(delayed > 0 && longest > 0)) return;  // also where one is NaN
  const double sharing = (computed + delayed) / longest;
  delayed_seconds_ = delayed / sharing;
  undelayed_seconds_ = computed / sharing;
}

thread_times lane_usage::read(int worker) const {
  return reads_delays_ ? workers_->read_times(worker) : thread_times{workers_->read(worker), 0};
}

}  // namespace weir::detail
