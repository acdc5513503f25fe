#include "bench/field/common/arrival_clock.hpp"

#include <thread>
#include <utility>

namespace weir::field_bench {

arrival_clock::arrival_clock(std::size_t items, const std::vector<double>& arrivals)
    : arrivals_(arrivals), latencies_(items) {}

void arrival_clock::wait_for(std::size_t item) const {
  if (!arrivals_.empty()) std::this_thread::sleep_until(arrival_of(item));
}

void arrival_clock::done(std::size_t item) {
  latencies_[item] = std::chrono::duration<double>(clock::now() - arrival_of(item)).count();
}

run_times arrival_clock::end() {
  return {std::chrono::duration<double>(clock::now() - begin_).count(), std::move(latencies_)};
}

arrival_clock::clock::time_point arrival_clock::arrival_of(std::size_t item) const {
  const double seconds = arrivals_.empty() ? 0 : arrivals_[item];
  return begin_ + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace weir::field_bench
