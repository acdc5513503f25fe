// The floor of a controller: it goes back to an allotment that was measured to be better, whatever its models say.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "scheduler/control/at.hpp"
#include "scheduler/control/controller.hpp"

namespace weir {
namespace {

constexpr double clearly_better = 0.1;     // what the models say of other inputs may be wrong by as much
constexpr double errors_apart = 3;         // two would be seen by chance in some of eight allotments
constexpr double swing_records = 64;       // a swinging stream is not known by less, times the logarithm of the gain
constexpr double looked_at_growth = 1.25;  // of the records from one comparison to the next, since each takes a while

double doubt(const measured_costs::cost& a, const measured_costs::cost& b) {
  return errors_apart * std::hypot(a.error, b.error);
}

}  // namespace

// The best allotment that was in force before, if it was clearly better than the one in force is. Not before this one
// has cost more than finding out does, and than the returns that did not help have cost since one did.
std::optional<allotment> controller::go_back(const system_view& view, int reference, bool is_steady) {
  if (!options_.go_back || !options_.verify || late_.factor() != 1) return std::nullopt;
  const double records = measured_.records(view);
  if (records < compared_at_) compared_at_ = 0;  // of another allotment, or of other inputs
  if (at(view, reference).invocations_since_move < static_cast<std::uint64_t>(options_.early_patience) ||
      records < looked_at_growth * compared_at_)
    return std::nullopt;
  compared_at_ = records;
  const auto now = measured_.of_current(view, aside_);
  if (!now) return std::nullopt;
  std::optional<allotment> best;
  double most = 0;
  const double cost_of_trial = 2 * cost_of_a_move(view) + options_.patience * now->mean + lost_seconds_;
  for (const allotment& before : measured_.before()) {
    const auto then = measured_.of(before, view, rule_, aside_);
    if (!then || !(then->mean > 0 && now->mean > then->mean)) continue;
    const double gain = now->mean / then->mean - 1, factor = std::log1p(gain);
    const bool is_clear = factor > std::log1p(clearly_better) + doubt(*now, *then);
    const bool is_known = !is_steady || factor * std::min(now->records, then->records) > swing_records;
    const bool pays = (now->mean - then->mean) * now->records > cost_of_trial;
    if (is_clear && is_known && pays && gain > most) most = gain, best = before;
  }
  if (!best || !check(*best, view.cores).empty()) return std::nullopt;
  verify_after_.reset();
  left_division from{view.current, is_steady_};
  allotment to = decided(view, *std::move(best), "", most);
  decisions_.back().why = "gone back to a division that was measured before: " + predicted_words(decisions_.back());
  left_ = std::move(from);
  return to;
}

// Whether going back helped. If not, the stream is another one, and no direction is known to be wrong.
std::optional<allotment> controller::verify_return(const system_view& view, int reference) {
  if (view.current != decisions_.back().to ||
      at(view, reference).invocations_since_move < static_cast<std::uint64_t>(options_.patience))
    return std::nullopt;
  const left_division from = *std::exchange(left_, std::nullopt);
  const auto now = measured_.of_current(view, aside_), then = measured_.of(from.given, view, rule_, aside_);
  if (!now || !then) return std::nullopt;
  const double gain = then->mean / now->mean - 1;
  decisions_.back().realised_gain = gain;
  if (gain > options_.min_gain) {
    lost_seconds_ = 0;
    if (gain > clearly_better + doubt(*now, *then)) block(view, receiver(view.current, from.given));
    return std::nullopt;
  }
  blocked_.clear();
  lost_seconds_ += 2 * cost_of_a_move(view) + (view.time - decisions_.back().time) * std::max(0.0, -gain);
  if (gain > -options_.min_gain) return std::nullopt;
  decisions_.back().reverted = true;
  allotment to = decided(view, from.given, "taken back: the stream is another one now", 1 / (1 + gain) - 1);
  is_steady_ = from.was_steady;
  return to;
}

}  // namespace weir
