#include "scheduler/devices/device_state.hpp"

#include <algorithm>
#include <limits>

namespace weir {

std::size_t device_state::free_slot() const {
  return static_cast<std::size_t>(std::find(runs_.begin(), runs_.end(), nullptr) - runs_.begin());
}

int device_state::in_use() const { return slots() - static_cast<int>(std::count(runs_.begin(), runs_.end(), nullptr)); }

void device_state::begin(std::size_t slot, device_record& r) {
  runs_[slot] = &r;
  r.in_use = in_use();
  peak_ = std::max(peak_, r.in_use);
}

double device_state::seconds_until_free(double now) const {
  double least = std::numeric_limits<double>::infinity();
  for (const device_record* const r : runs_) {
    if (!r) return 0;
    least = std::min(least, r->seconds_left(now));
  }
  return least;
}

double device_state::seconds_waiting() const {
  double sum = 0;
  for (const device_waiting* const one : boxes_) sum += one->seconds_for_device();
  return sum;
}

}  // namespace weir
