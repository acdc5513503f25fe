#include "scheduler/control/neighbour_times.hpp"

#include <algorithm>

namespace weir {

// Core seconds of an interval within another.
static double overlap(double begin, double end, int cores, double from, double to) {
  return std::max(0.0, std::min(end, to) - std::max(begin, from)) * cores;
}

// Where the past is remembered in part only, as much in the rest of the time.
double neighbour_times::busy_in_the_past(const entry& other, const interval& during) const {
  double busy = 0, first = during.end;
  for (const interval& i : other.last) {
    busy += overlap(i.begin, i.end, i.cores, during.begin, during.end);
    first = std::min(first, i.end);
  }
  if (other.last.size() < remembered || first <= during.begin || first >= during.end) return busy;
  return busy * (during.end - during.begin) / (during.end - first);
}

void neighbour_times::add(const observation& seen, double ratio) {
  const interval when{seen.start, seen.start + seen.seconds * seen.records, seen.cores};
  if (when.begin < followed_until_)
    for (entry& e : all_)
      for (invocation& i : e.followed)
        i.busy[seen.component] += overlap(when.begin, when.end, when.cores, i.when.begin, i.when.end);
  longest_ = std::max(longest_, when.end - when.begin);
  latest_ = std::max(latest_, when.end);
  entry& own = all_[seen.component];
  if (follows(seen.component)) {
    invocation& i = own.followed.emplace_back(invocation{when, ratio});
    for (std::size_t j = 0; j < all_.size(); ++j) i.busy[j] = busy_in_the_past(all_[j], when);
    followed_until_ = std::max(followed_until_, when.end);
  }
  if (own.last.size() < remembered)
    own.last.push_back(when);
  else
    own.last[own.next++ % remembered] = when;
}

void neighbour_times::settle(const taker& take) {
  const auto is_over = [this](const invocation& i) { return latest_ - i.when.end >= longest_; };
  for (std::size_t c = 0; c < all_.size(); ++c) {
    for (const invocation& i : all_[c].followed) {
      const double seconds = i.when.end - i.when.begin;
      if (!is_over(i) || !(seconds > 0)) continue;
      std::array<double, most_components> running{};
      for (std::size_t j = 0; j < all_.size(); ++j) running[j] = i.busy[j] / seconds;
      take(c, i.ratio, std::span(running).first(all_.size()));
    }
    std::erase_if(all_[c].followed, is_over);
  }
}

void neighbour_times::forget() {
  for (entry& e : all_) e.followed.clear();
  followed_until_ = longest_ = 0;
}

}  // namespace weir
