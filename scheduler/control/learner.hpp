#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/observation.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/joined_batches.hpp"
#include "scheduler/control/kind_factors.hpp"
#include "scheduler/control/recent_invocations.hpp"
#include "scheduler/control/steady_inputs.hpp"

namespace weir {

// The knowledge about one component: its model and its last invocations. It has no thread, lock or clock; time is the
// time of the observations. Not thread-safe; the owner serialises calls.
//
// The estimator gets at most most_updates observations per window of window_seconds, by the time at which invocations
// end. That is 10^4 a second; more would cost more than they tell.
//
// The first `singly` observations in a window are given as they come. Any others are summed in groups of equal cores
// whose x lies in the same 64th of an octave (2^(1/64) = 1.1 %; all x below 1e-12 are one group). The means of x and of
// the time in a group are given as one observation, with the first observation of a later window. There are
// most_updates - singly groups. If no group is left, an observation does not reach the model. That depends on its x and
// cores, and not on its time. A mean counts as one observation, and scatters less than a single one.
//
// Observations after a move are given immediately, since estimators ignore them. An observation that arrives after its
// window has ended counts in the present one. Where the model knows nothing and the first of all comes behind a move,
// it counts as any other, since the next one may take long to come. At the start of a run it does not.
//
// The first `most_withheld` observations are all summed in groups and withheld from the estimator, as long as each is
// shorter than `short_below`: learning one costs it more than that. Views have a mean_model meanwhile. This holds where
// the model that it starts from knows nothing.
//
// A model of several predictors (estimator::predictors) makes one x of their values, which is what views have. Their
// values are kept as well: when the model takes them otherwise, inputs and samples get their new x. Groups are then of
// equal values, and the mean of x is none.
//
// A few hundred bytes until there is more to learn: learners may share the model that they start from. After that
// constant space, allocated as it fills.
class learner {
 public:
  static constexpr std::size_t window = recent_invocations::window;
  static constexpr std::size_t averaged = 64;      // number of invocations that mean_seconds() averages
  static constexpr double window_seconds = 10e-3;  // long enough to sum up, short enough to wait for
  static constexpr std::size_t most_updates = 100, singly = 64;
  static constexpr std::size_t most_withheld = 16;
  static constexpr double short_below = 5e-6;  // seconds

  // Copies `start`, and learns with the copy. Where the machine's cores are of several kinds, the model and `recent`
  // are in the time of one of them, and the view has component_view::kind_factors (kind_factors.hpp). Without a machine
  // all are alike. REQUIRES: start is not null, and no other thread changes it.
  explicit learner(std::shared_ptr<estimator> start, const std::shared_ptr<const topology>& machine = nullptr);

  // Takes one invocation in. Throws std::bad_alloc, having changed nothing. `measured` is the time in seconds to
  // learn from: its useful time, or the CPU time of its lane (observation::cpu_seconds).
  void observe(const observation& seen, double measured);
  void observe(const observation& seen) { observe(seen, seen.seconds); }

  // Tells that an allotment, the first or another, is in force from `time` on, in seconds since the run started.
  // Invocations that began before it do not count as made on it.
  void moved(double time);

  // Fills in the learner's part of a component's view: model, inputs, inputs_seen (see steady_inputs.hpp), next_inputs,
  // recent, invocations and invocations_since_move. `waiting` has the predictor values of the records that wait at its
  // input, oldest first. next_inputs are set where these show a change. `recent` holds those of the last `window`
  // invocations that `inputs` represent. `invocations` counts observed ones; a host that does not time all of them sets
  // its own count afterwards.
  //
  // The model is a snapshot, which later observations do not change. Views filled without an observation in between
  // share it.
  void fill(component_view& view, std::span<const double> waiting = {}) const;

  // The last `window` invocations, oldest first, with the time that was learnt from.
  std::vector<invocation_sample> last() const;

  // With what was withheld so far, and from then on nothing is. Throws std::bad_alloc, having changed nothing.
  const estimator& model();
  description describe() const;                    // of model(), which is not changed
  double x_of(const observation& seen) const;      // for the model
  double expected(const observation& seen) const;  // seconds, on the cores that it was on

  std::uint64_t observed() const { return observed_; }             // invocations, including the first after a move
  std::uint64_t observed_records() const { return all_.records; }  // that these were for
  double observed_seconds() const { return all_.seconds; }         // of them, useful time
  double busy_core_seconds() const { return all_.busy; }           // their useful time x cores, seconds
  double mean_seconds() const;                                     // of the last `averaged`, without those after a move

 private:
  struct place {
    std::int64_t octave = 0;  // in 64ths
    int cores = 0;
    double x = 0, cost = 0, count = 0;
    decltype(observation::further) further{};
  };

  bool has_several() const { return start_->predictors() > 1; }
  double mean(double x, int cores) const;  // seconds, as views have it
  void make_room();
  std::vector<place> withheld() const;
  void show_withheld() const;
  void tell_withheld();
  void take(observation seen, double measured);
  void learn(const observation& seen, double cost);
  static constexpr std::size_t most_places = most_updates - singly;
  void sum_up(const observation& seen, std::vector<place>& into) const;
  static void give(const std::vector<place>& sums, estimator& to);

  const std::shared_ptr<estimator> start_;
  // While it withholds, all that was observed is in recent_ alone, and the model and the inputs have the first
  // `shown_`.
  bool withholds_ = true;
  mutable std::size_t shown_ = 0;
  mutable std::shared_ptr<estimator> model_;
  mutable bool is_shared_ = true;  // others may read this model: it is copied before it learns

  mutable steady_inputs inputs_;
  mutable std::vector<typical_input> typical_;  // representatives of typical_of_ inputs, until there are many more
  mutable std::size_t typical_of_ = 0;
  mutable std::uint64_t typical_at_ = 0;  // observed_
  recent_invocations recent_;

  struct sums {
    std::uint64_t records = 0;
    double seconds = 0, busy = 0;
  };
  sums all_;  // of the observed invocations
  joined_batches batches_;
  std::uint64_t observed_ = 0, since_move_ = 0;
  double in_force_since_ = 0;
  int allotments_ = 0;  // that came into force so far

  double window_ends_ = 0;
  std::size_t given_ = 0;                // to the estimator in this window
  std::vector<place> places_;            // most_places at most
  std::unique_ptr<kind_factors> kinds_;  // null: cores are alike
};

}  // namespace weir
