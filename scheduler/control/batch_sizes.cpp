#include "scheduler/control/batch_sizes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace weir {

namespace {

constexpr double remembered = 32;       // invocations
constexpr double least_tries = 4;       // of a size before its mean counts
constexpr double most_tries = 16;       // by then it counts, however much its times scatter
constexpr double known_well = 0.03;     // the standard error of a mean, over the mean
constexpr double worth_growing = 0.02;  // a larger size is preferred only if a record takes that much less

constexpr std::uint64_t search_one_in = 2, refine_one_in = 4, keep_one_in = 64;

std::vector<std::size_t> sizes_up_to(std::size_t most) {
  constexpr std::size_t each = 16;
  std::vector<std::size_t> all;
  for (std::size_t size = 1; size < most; size += size < each ? 1 : std::size_t{1} << (std::bit_width(size) - 3))
    all.push_back(size);
  all.push_back(most);
  return all;
}

}  // namespace

bool batch_sizes::size_state::is_tried() const {
  if (seen < least_tries) return false;
  return seen >= most_tries || std::sqrt(variance / seen) <= known_well * seconds;
}

batch_sizes::batch_sizes(std::size_t most) {
  for (const std::size_t size : sizes_up_to(most)) sizes_.push_back({size});
}

void batch_sizes::note_waiting(std::size_t waiting) {
  constexpr double kept = 0.99;
  waiting_ = std::max(static_cast<double>(std::max<std::size_t>(waiting, 1)), kept * waiting_);
}

std::size_t batch_sizes::size_for(std::size_t waiting) const {
  waiting = std::max<std::size_t>(waiting, 1);
  return tried_ > 0 && waiting >= tried_ ? tried_ : std::min(waiting, preferred());
}

std::size_t batch_sizes::take(std::size_t waiting) {
  const std::size_t size = size_for(waiting);
  if (tried_ > 0 && waiting >= tried_) tried_ = 0;
  return size;
}

std::size_t batch_sizes::at_or_below(std::size_t records) const {
  const auto above = std::upper_bound(sizes_.begin(), sizes_.end(), records,
                                      [](std::size_t r, const size_state& s) { return r < s.records; });
  return static_cast<std::size_t>(above - sizes_.begin()) - 1;
}

void batch_sizes::note(std::size_t records, double seconds_of_a_record, bool after_move, double longest) {
  if (after_move)
    for (size_state& s : sizes_) s.seen = std::min(s.seen, least_tries - 1);
  size_state& s = sizes_[at_or_below(std::min(records, most()))];
  s.seen = std::min(s.seen + 1, remembered);
  const double off = seconds_of_a_record - s.seconds;
  s.seconds += off / s.seen;
  s.variance = s.seen > 1 ? s.variance + (off * off * (1 - 1 / s.seen) - s.variance) / s.seen : 0;
  preferred_ = best(longest);
  ++since_try_;
  const std::size_t other = next_to_try(longest);
  if (other == sizes_.size()) return;
  tried_ = sizes_[other].records;
  since_try_ = 0;
}

// The smallest of the sizes that take at most 2 % longer than the best: it makes less latency.
std::size_t batch_sizes::best(double longest) const {
  const auto may_be = [&](const size_state& s) {
    return s.is_tried() && (s.records == 1 || s.seconds * static_cast<double>(s.records) <= longest);
  };
  double least = std::numeric_limits<double>::infinity();
  for (const size_state& s : sizes_)
    if (may_be(s)) least = std::min(least, s.seconds);
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (may_be(sizes_[i]) && sizes_[i].seconds <= least * (1 + worth_growing)) return i;
  return 0;
}

double batch_sizes::seconds_of(std::size_t records) const {
  const auto all = [](const size_state& s) { return s.seconds * static_cast<double>(s.records); };
  const size_state *below = nullptr, *above = nullptr;
  for (const size_state& s : sizes_) {
    if (s.seen == 0) continue;
    (s.records <= records ? below : above) = &s;
    if (above) break;
  }
  if (!below) return above ? all(*above) : 0;
  if (!above) return below->seconds * static_cast<double>(records);
  const double part =
      static_cast<double>(records - below->records) / static_cast<double>(above->records - below->records);
  return all(*below) + part * (all(*above) - all(*below));
}

// An invocation of a larger size takes longer than one of a smaller size.
bool batch_sizes::is_too_long(std::size_t size, double longest) const {
  for (std::size_t below = size; below-- > 0;)
    if (sizes_[below].is_tried()) return sizes_[below].seconds * static_cast<double>(sizes_[below].records) > longest;
  return false;
}

// The smallest power of two, or the largest size, that may be tried and was not; none: sizes_.size().
std::size_t batch_sizes::untried_corner(double longest) const {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const bool is_corner = std::has_single_bit(sizes_[i].records) || i + 1 == sizes_.size();
    if (!is_corner || sizes_[i].is_tried() || static_cast<double>(sizes_[i].records) > waiting_) continue;
    return is_too_long(i, longest) ? sizes_.size() : i;
  }
  return sizes_.size();
}

// The size that the next invocation is to try; none: sizes_.size().
std::size_t batch_sizes::next_to_try(double longest) const {
  if (const std::size_t corner = untried_corner(longest); corner < sizes_.size())
    return since_try_ >= search_one_in ? corner : sizes_.size();
  std::size_t least_seen = sizes_.size();
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const std::size_t size = sizes_[i].records, at = sizes_[preferred_].records;
    if (i == preferred_ || size * 2 < at || size > at * 2 || is_too_long(i, longest)) continue;
    if (static_cast<double>(size) > waiting_) continue;
    if (least_seen == sizes_.size() || sizes_[i].seen < sizes_[least_seen].seen) least_seen = i;
  }
  if (least_seen == sizes_.size()) return least_seen;
  const bool is_refining = !sizes_[least_seen].is_tried();
  return since_try_ >= (is_refining ? refine_one_in : keep_one_in) ? least_seen : sizes_.size();
}

}  // namespace weir
