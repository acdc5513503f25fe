#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace weir::detail {

// Seconds between two records that enter.
struct seen_pace {
  double expected = 0, seen = 0;
};

// The findings of a trial of another plan. The better of both times of the present plan counts, so that a stream which
// slowed down or sped up meanwhile decides nothing.
struct trial_findings {
  seen_pace present, other;
};

// Counts the records that enter a network under the plan in force, under another one, and under the first again. Not
// thread-safe.
class trial_windows {
 public:
  // window: seconds in which records are counted. It may take `longest` times as long, until there are enough of them.
  // settles: seconds until another plan is in force everywhere.
  constexpr trial_windows(double window, double longest, double settles)
      : window_(window), longest_(longest), settles_(settles) {}

  // Takes in a step: the records that have `entered` by `now`, in seconds after the start, under a plan of which this
  // many seconds between two are expected. is_due: whether a trial is to begin, by the seconds seen; it is asked when
  // the pause since the last one is over. Returns the findings when a trial is complete. It ends without any where too
  // few records enter.
  template <class F>
  std::optional<trial_findings> take(double now, std::uint64_t entered, double expected, const F& is_due) {
    const std::optional<double> seen = count(now, entered);
    if (!seen) return std::nullopt;
    const phase was = phase_;
    phase next = phase::watches;
    if (was == phase::watches) {
      found_.present = {expected, *seen};
      if (now >= not_before_ && is_due(*seen)) next = phase::tries;
    } else if (was == phase::tries) {
      found_.other = {expected, *seen};
      next = phase::checks;
    }
    begin(next, now, entered);
    if (was != phase::checks) return std::nullopt;
    if (*seen < found_.present.seen) found_.present.seen = *seen;
    return found_;
  }

  // Ends a trial without findings. The next one needs a pause or not.
  void end(double now, std::uint64_t entered) { begin(phase::watches, now, entered); }
  void end_without_pause(double now, std::uint64_t entered) {
    phase_ = phase::watches;
    end(now, entered);
  }

  bool is_under_way() const { return phase_ != phase::watches; }
  bool tries_other() const { return phase_ == phase::tries; }  // the plan that is to be in force

  // When take() is to be called at the latest; infinity: at any later step.
  double due() const { return due_; }

 private:
  enum class phase { watches, tries, checks };

  void begin(phase next, double now, std::uint64_t entered);
  std::optional<double> count(double now, std::uint64_t entered);

  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t least_records = 200;  // in a window: a hand-over is nothing for longer ones
  static constexpr double least_pause = 0.1;           // seconds between two trials
  static constexpr double pause_by_age = 3;            // of the age of the run
  static constexpr double gives_up_after = 5e-3;       // seconds of a trial
  static constexpr double hopeless = 0.6;              // of the records that the present plan takes in

  double window_, longest_, settles_;
  phase phase_ = phase::watches;
  double counts_from_ = 0, due_ = never;
  std::uint64_t entered_ = 0;  // when counting began
  bool is_counting_ = true;    // else the plan is not in force for long enough yet
  double not_before_ = 0;      // the next trial
  trial_findings found_;
};

}  // namespace weir::detail
