#include "runtime/run/region_settings.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/engine/region.hpp"
#include "scheduler/expect/queueing.hpp"

namespace weir::detail {

namespace {

constexpr double wake_up = 10e-6;        // seconds, as all here; more where the core sleeps, too
constexpr double batch_seconds = 50e-6;  // some wake-ups
constexpr double longest_batch_seconds = 500e-6;
constexpr double own_batch_seconds = 20e-6;
constexpr double stream_seconds = 1e-3;    // many wake-ups, even on a busy machine
constexpr double stream_bytes = 64e6;      // a few large documents, and far more small records than a millisecond takes
constexpr double between_samples = 1e-3;   // 1000 a second, where that is more than one in 63
constexpr std::size_t least_capacity = 4;  // one in work, one taken, two to choose from

}  // namespace

bool is_below_wake_up(double seconds) { return seconds <= wake_up; }

region_settings settings_of(const region_facts& r) {
  const bool known = !std::isnan(r.seconds);
  const auto fits = [&](double budget, std::size_t most) {
    if (!known) return std::size_t{1};
    const double all = static_cast<double>(most);
    return static_cast<std::size_t>(r.seconds > 0 ? std::clamp(budget / r.seconds, 1.0, all) : all);
  };
  const auto lanes = static_cast<std::size_t>(r.lanes);
  region_settings s;
  s.timed_one_in =
      r.all_short ? region::seldom : static_cast<std::uint32_t>(fits(between_samples * r.lanes, region::seldom - 1));
  s.lets_senders_in = known && is_below_wake_up(r.seconds) && r.suits_senders;
  if (!r.waits) {
    s.batch = fits(batch_seconds, intake::largest_batch);
    s.most_in_batch = fits(r.shared ? longest_batch_seconds : own_batch_seconds, intake::largest_batch);
  }
  std::size_t in_time = fits(stream_seconds * r.lanes, r.most_capacity);
  if (!(r.between == 0))
    in_time = std::isnan(r.between) ? 1 : std::min(in_time, static_cast<std::size_t>(stream_seconds / r.between));
  if (r.bytes > 0) in_time = std::min(in_time, static_cast<std::size_t>(stream_bytes / r.bytes));
  const bool may_find_none = !r.fed_by_its_group && !std::isnan(r.load);
  s.capacity = std::max({in_time, least_capacity, 2 * lanes + 2, may_find_none ? places_for(r.load) : 1});
  return s;
}

std::size_t places_for(double load) {
  constexpr double turned_away = 0.05;
  constexpr std::size_t most = 64;
  return queue_capacity(std::min(load, 1.0), turned_away, 1, most);
}

}  // namespace weir::detail
