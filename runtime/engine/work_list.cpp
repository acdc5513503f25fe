#include "runtime/engine/work_list.hpp"

#include <algorithm>
#include <iterator>

namespace weir::detail {

namespace {

constexpr double longest_lag = 50e-3;  // seconds that others get at most before a region that had more than they; times
                                       // the largest weight. Where weights differ, long turns are added, so that turns
                                       // of any length count by weight
constexpr double least_turn = 20e-6;   // seconds that a turn counts at least: those of short batches are not timed
constexpr double remembered = 5e-3;    // seconds of a group's work over which the share of a region is a mean

// Whether the region's part of the work is larger than its part of the lanes. Then the other lanes rest
// sometimes, and lose nothing when this region goes first. The margin tells it from two equal regions.
bool bounds_others(const schedulable& r, int lanes) {
  constexpr double margin = 1.1;
  return r.share * lanes > margin && r.share * lanes > margin * r.limit();  // most end at the first
}

}  // namespace

void work_list::add(schedulable& r) {
  if (ready_.full()) ready_.set_capacity(std::max<std::size_t>(16, 2 * ready_.capacity()));
  heaviest_ = std::max(heaviest_, r.weight);
  const double most_ahead = longest_lag * heaviest_ + r.last_turn * (heaviest_ - 1);
  r.virtual_time = std::clamp(r.virtual_time, virtual_time_, virtual_time_ + most_ahead);
  ready_.push_back(&r);
  size_.store(static_cast<int>(ready_.size()), std::memory_order_relaxed);
}

// A region behind the due one in the stream goes first, so that few records wait in the network, and these are still in
// the caches. It does not where its last turn took much longer, since the due region may lead to other branches as
// well.
schedulable* work_list::take_next(bool for_sender, int lanes) {
  if (ready_.empty()) return nullptr;
  constexpr int most_in_a_row = 4;
  constexpr std::ptrdiff_t candidates = 16;
  constexpr double much_longer = 2, short_turn = 250e-6;  // a factor; seconds
  const auto end = ready_.begin() + std::min(candidates, std::ssize(ready_));
  const auto due = std::min_element(ready_.begin(), end, [](const schedulable* a, const schedulable* b) {
    return a->virtual_time < b->virtual_time;
  });
  const double longest = std::max(much_longer * (*due)->last_turn, short_turn);
  auto chosen = std::find_if(ready_.begin(), end, [&](const schedulable* r) {
    return bounds_others(*r, lanes) && (!for_sender || r->allows_inline_send());
  });
  const bool bounds = chosen != end;
  if (!bounds) {
    chosen = due;
    for (auto at = ready_.begin(); at < end && passed_over_ < most_in_a_row; ++at)
      if ((*at)->position.is_behind((*chosen)->position) && ((*at)->may_batch() || (*at)->last_turn <= longest))
        chosen = at;
  }
  schedulable* const r = *chosen;
  if (for_sender && !r->allows_inline_send()) return nullptr;
  if (!bounds) passed_over_ = chosen == due ? 0 : passed_over_ + 1;
  virtual_time_ = std::max(virtual_time_, (*due)->virtual_time);
  r->virtual_time += least_turn / r->weight;
  account(*r, least_turn);
  taken_.fetch_add(1, std::memory_order_relaxed);
  unlist(chosen);
  return r;
}

bool work_list::take(const schedulable& r) {
  const auto at = std::find(ready_.begin(), ready_.end(), &r);
  if (at == ready_.end()) return false;
  unlist(at);
  return true;
}

std::size_t work_list::remove(schedulable& r) {
  r.virtual_time = r.share = r.charged_at = 0;
  const auto kept = std::remove(ready_.begin(), ready_.end(), &r);
  const auto places = static_cast<std::size_t>(ready_.end() - kept);
  ready_.erase(kept, ready_.end());
  size_.store(static_cast<int>(ready_.size()), std::memory_order_relaxed);
  return places;
}

void work_list::add_waiting(group_work& to, const schedulable& from, double seconds) const {
  const auto add = [&](const schedulable& r, int least) {
    to.add_waiting(std::max(least, r.could_begin()), r.seconds_on_one_core.load(std::memory_order_relaxed), seconds);
  };
  add(from, 0);
  for (auto at = ready_.begin(); at != ready_.end(); ++at)
    if (*at != &from && std::find(ready_.begin(), at, *at) == at) add(**at, 1);
}

void work_list::charge(schedulable& r, double seconds) {
  r.virtual_time += seconds / r.weight;
  r.last_turn = seconds;
  account(r, std::max(0.0, seconds - least_turn));  // the rest: take_next() did
}

void work_list::account(schedulable& r, double seconds) {
  constexpr double at_most = 0.125;  // then turns as long as that are averaged, too
  work_ += seconds;
  const double since = std::max(work_ - r.charged_at, seconds);
  if (since > 0) r.share += std::min(since / remembered, at_most) * (seconds / since - r.share);
  r.charged_at = work_;
}

void work_list::unlist(places::iterator at) {
  ready_.rerase(at);
  size_.store(static_cast<int>(ready_.size()), std::memory_order_relaxed);
}

}  // namespace weir::detail
