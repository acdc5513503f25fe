#include "runtime/run/work_plan.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/expect/queueing.hpp"

namespace weir::detail {

namespace {

constexpr double wake_up = 10e-6;  // seconds, as all here; more where the core sleeps, too
constexpr double longest_batch_seconds = 500e-6;
constexpr double own_batch_seconds = 20e-6;
constexpr double stream_seconds = 1e-3;    // many wake-ups, even on a busy machine
constexpr double stream_bytes = 64e6;      // a few large documents, and far more small records than a millisecond takes
constexpr double between_samples = 1e-3;   // 1000 a second, where that is more than one in 63
constexpr std::size_t least_capacity = 4;  // one in work, one taken, two to choose from

}  // namespace

pace pace_of(pace was, double mean, std::uint64_t observed) {
  constexpr double back_at = 4;                                // times the threshold
  constexpr double sampled_below = 50e-6;                      // timing a longer one costs less than a hundredth of it
  constexpr std::uint64_t enough_to_sample = learner::window;  // so no model learns more slowly
  if (observed < enough_to_inline) return pace::unknown;
  const bool was_inlined = was == pace::inlined, was_sampled = was_inlined || was == pace::sampled;
  if (mean < (was_inlined ? back_at : 1) * inlined_below) return pace::inlined;
  const bool is_sampled = observed >= enough_to_sample && mean < (was_sampled ? back_at : 1) * sampled_below;
  return is_sampled ? pace::sampled : pace::timed;
}

bool is_below_wake_up(double seconds) { return seconds <= wake_up; }

region_plan plan_work(const region_facts& r) {
  const bool known = !std::isnan(r.seconds);
  const auto fits = [&](double budget, std::size_t most) {
    if (!known) return std::size_t{1};
    const double all = static_cast<double>(most);
    return static_cast<std::size_t>(r.seconds > 0 ? std::clamp(budget / r.seconds, 1.0, all) : all);
  };
  const auto lanes = static_cast<std::size_t>(r.lanes);
  region_plan plan;
  const auto in_8_bits = [&](double budget, std::size_t most) { return static_cast<std::uint8_t>(fits(budget, most)); };
  work_setting& s = plan.work;
  s.timed_one_in = r.all_inlined ? work_setting::sparse_sampling
                                 : in_8_bits(between_samples * r.lanes, work_setting::sparse_sampling - 1);
  s.is_known = known;
  s.allows_inline_send = known && is_below_wake_up(r.seconds) && r.fits_inline_send;
  if (!r.waits) {
    s.batch = in_8_bits(work_setting::batch_seconds, work_setting::largest_batch);
    s.most_in_batch = in_8_bits(r.shared ? longest_batch_seconds : own_batch_seconds, work_setting::largest_batch);
  }
  if (!known && r.were_short && !r.waits) s = s.expecting_short();
  std::size_t in_time = fits(stream_seconds * r.lanes, r.most_capacity);
  if (!(r.between == 0))
    in_time = std::isnan(r.between) ? 1 : std::min(in_time, static_cast<std::size_t>(stream_seconds / r.between));
  if (r.bytes > 0) in_time = std::min(in_time, static_cast<std::size_t>(stream_bytes / r.bytes));
  const bool may_find_none = !r.fed_by_its_group && !std::isnan(r.load);
  if (!known && s.may_batch()) in_time = work_setting::capacity_if_short;
  plan.capacity = std::max({in_time, least_capacity, 2 * lanes + 2, may_find_none ? places_for(r.load) : 1,
                            r.together > 1 ? (lanes + 1) * r.together : 1});
  return plan;
}

std::size_t places_for(double load) {
  constexpr double turned_away = 0.05;
  constexpr std::size_t most = 64;
  return queue_capacity(std::min(load, 1.0), turned_away, 1, most);
}

}  // namespace weir::detail
