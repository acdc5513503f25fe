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
  double delayed = own_delay, wanted = cpu_seconds_ + own_delay, longest = wanted;
  for (int i = 0; workers_ && i < workers_->count(); ++i) {
    const thread_times before = of_workers_[static_cast<std::size_t>(i)], now = read(i);
    // A delay that was read at one of the two ends alone counts for nothing.
    const thread_times of{now.computed - before.computed, std::max(0.0, now.delayed - before.delayed)};
    cpu_seconds_ = std::max(cpu_seconds_, of.computed);
    delayed += of.delayed;
    wanted += of.computed + of.delayed;
    longest = std::max(longest, of.computed + of.delayed);
  }
  // What the threads wanted, as a multiple of what one of them did, is the number of threads that shared the work, and
  // so the delays. Of a thread that worked alone, its whole delay counts.
  if (delayed > 0 && wanted > 0) delayed_seconds_ = delayed * longest / wanted;  // not where one is NaN
}

thread_times lane_usage::read(int worker) const {
  return reads_delays_ ? workers_->read_times(worker) : thread_times{workers_->read(worker), 0};
}

}  // namespace weir::detail
