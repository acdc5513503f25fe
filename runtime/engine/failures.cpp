#include "runtime/engine/failures.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace weir::detail {

namespace {

constexpr std::size_t at_a_time = 256;  // copied under one hold of the lock: some microseconds

}  // namespace

void failures::add(const failure& f, bool here) noexcept {
  (here ? failed_here_ : failed_elsewhere_).fetch_add(1, std::memory_order_relaxed);
  failed_by_[static_cast<std::size_t>(f.kind)].fetch_add(1, std::memory_order_relaxed);
  entry oldest;  // freed without the lock, as is the next
  std::shared_ptr<const weir::record> as_record;
  try {
    auto told = std::make_shared<failure>(f);
    told->as_record = nullptr;
    const lock_guard lock(mutex_);
    kept_.push_back({std::move(told), f.as_record});
    if (kept_.size() > most_records_) as_record.swap(kept_[kept_.size() - 1 - most_records_].as_record);
    if (kept_.size() <= most_) return;
    oldest = std::move(kept_.front());
    kept_.pop_front();
    ++first_;
  } catch (const std::bad_alloc&) {  // the failure is counted all the same
  }
}

// Copies the newest; fewer if older ones go meanwhile.
failures::copied failures::copy(std::size_t most) const {
  copied made;
  std::uint64_t next = 0;
  {
    const lock_guard lock(mutex_);
    made.end = first_ + kept_.size();
    next = made.end - std::min<std::uint64_t>(most, kept_.size());
  }
  std::vector<entry> some;
  some.reserve(at_a_time);
  while (next < made.end) {
    {
      const lock_guard lock(mutex_);
      for (next = std::max(next, first_); next < made.end && some.size() < at_a_time; ++next)
        some.push_back(kept_[static_cast<std::size_t>(next - first_)]);
    }
    for (entry& one : some) {
      made.all.push_back(*one.told);
      made.all.back().as_record = std::move(one.as_record);
    }
    some.clear();
  }
  return made;
}

std::vector<failure> failures::kept() const { return copy(std::numeric_limits<std::size_t>::max()).all; }

std::vector<failure> failures::newest(std::size_t most) const { return copy(most).all; }

std::vector<failure> failures::take() {
  const lock_guard alone(taking_);
  std::vector<entry> some;
  some.reserve(at_a_time);
  copied taken = copy(std::numeric_limits<std::size_t>::max());
  for (bool more = true; more; some.clear()) {
    const lock_guard lock(mutex_);
    for (; first_ < taken.end && some.size() < at_a_time; ++first_) {
      some.push_back(std::move(kept_.front()));
      kept_.pop_front();
    }
    more = !some.empty();
  }
  return std::move(taken.all);
}

void failures::end_by(failure&& f) noexcept {
  const lock_guard lock(mutex_);
  if (!ended_by_) ended_by_ = std::move(f);
}

bool failures::has_ended() const {
  const lock_guard lock(mutex_);
  return ended_by_.has_value();
}

std::optional<failure> failures::ended_by() const {
  const lock_guard lock(mutex_);
  return ended_by_;
}

void failures::throw_if_ended() const {
  const lock_guard lock(mutex_);
  if (ended_by_) throw run_error(*ended_by_);
}

void failures::throw_once() {
  const lock_guard lock(mutex_);
  if (!ended_by_ || thrown_) return;
  run_error met(*ended_by_);
  thrown_ = true;
  throw met;
}

}  // namespace weir::detail
