#include "scheduler/control/late_records.hpp"

#include <algorithm>
#include <numeric>

namespace weir {
namespace {

constexpr std::uint64_t sample_every = 64;  // records: their mean tells whether a backlog shrinks
constexpr double a_quarter_more = 1.25, most_caution = 8;
constexpr double late_part = 0.01;
constexpr std::ptrdiff_t fewest_late = 6;
constexpr double clearly_faster = 0.9;
constexpr std::uint64_t longest_calm = 2048 * 64;

}  // namespace

void late_records::take(const system_view& view, double bound) {
  if (view.left_since_move < sampled_at_) sampled_at_ = 0, mean_before_ = 0;  // a move arrived between
  const std::uint64_t arrived = view.left_since_move - sampled_at_;
  if (arrived < sample_every || view.latencies.size() < sample_every) return;
  sampled_at_ = view.left_since_move;
  calm_ += arrived;
  const auto late = std::count_if(view.latencies.begin(), view.latencies.end(), [&](double s) { return s > bound; });
  const double mean = std::accumulate(view.latencies.end() - sample_every, view.latencies.end(), 0.0) / sample_every;
  const bool shrinks = mean_before_ > 0 && mean < clearly_faster * mean_before_;
  mean_before_ = mean;
  if (late >= fewest_late && static_cast<double>(late) > late_part * static_cast<double>(view.latencies.size())) {
    if (shrinks || factor_ >= most_caution) return;
    if (has_fallen_) calm_needed_ = std::min(2 * calm_needed_, longest_calm);
    has_fallen_ = false;
    factor_ = std::min(factor_ * a_quarter_more, most_caution);
    calm_ = 0;
  } else if (factor_ > 1 && calm_ >= calm_needed_) {
    has_fallen_ = true;
    factor_ = std::max(1.0, factor_ / a_quarter_more);
    calm_ = 0;
  }
}

}  // namespace weir
