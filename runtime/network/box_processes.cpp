#include "runtime/network/box_processes.hpp"

#include <algorithm>
#include <utility>

namespace weir::detail {

box_processes::membership::membership(std::shared_ptr<box_processes> of, const box_process& process)
    : of_(std::move(of)) {
  if (!of_) return;
  const lock_guard lock(of_->mutex_);
  of_->members_.push_back({process, process.cores, this});
}

box_processes::membership::~membership() {
  if (!of_) return;
  const lock_guard lock(of_->mutex_);
  std::erase_if(of_->members_, [this](const member& m) { return m.of == this; });
}

void box_processes::membership::grant(int cores) {
  if (!of_) return;
  const lock_guard lock(of_->mutex_);
  for (member& m : of_->members_) {
    if (m.of != this) continue;
    m.granted = cores;
    m.process.cores = std::max(m.process.cores, cores);
  }
}

std::vector<box_process> box_processes::sample() {
  std::vector<box_process> all;
  const lock_guard lock(mutex_);
  all.reserve(members_.size());
  for (member& m : members_) {
    all.push_back(m.process);
    m.process.cores = m.granted;
  }
  return all;
}

}  // namespace weir::detail
