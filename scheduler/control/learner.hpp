#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/estimator.hpp"
#include "model/observation.hpp"
#include "scheduler/control/steady_inputs.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// What one component learns from its invocations: its model, and the last of them. No thread, no lock, no clock: time
// is that of the observations. Not thread-safe; the owner serialises calls.
//
// The estimator sees every observation as long as they are no more than most_updates in a window of window_seconds, by
// the time at which invocations end: 10^4 a second, beyond which learning would cost more than it tells. In a window
// with more, the first `singly` are given as they come. Of the others, those on equally many cores whose x lies in the
// same 64th of an octave (2^(1/64) = 1.1 %; x below 1e-12 counts as one place) are summed, and their means of x and of
// the time are given as one observation, with the first observation of a later window. There are most_updates - singly
// such places; what finds none is left out of the model, by its x and cores and so whatever time it took. A mean counts
// as one observation, of less scatter than any. Invocations after a move are given at once: they tell estimators
// nothing, which ignore them. An observation whose window is past, since it comes late, counts to the present one.
//
// Constant space; observe() allocates nothing unless the estimator does.
class learner {
 public:
  static constexpr std::size_t window = 256;       // invocations that are kept
  static constexpr std::size_t lately = 64;        // of which mean_seconds() is
  static constexpr double window_seconds = 10e-3;  // long enough to sum something up, short to who waits for it
  static constexpr std::size_t most_updates = 100, singly = 64;

  // REQUIRES: a model.
  explicit learner(std::unique_ptr<estimator> model);

  // Takes one invocation in. `cost` is what it is to be learnt to have cost, in seconds: its useful time, or the CPU
  // time of its lane (observation::cpu_seconds).
  void observe(const observation& seen, double cost);
  void observe(const observation& seen) { observe(seen, seen.seconds); }

  // Another allotment is in force from `time` on, in seconds since the run started: invocations that began before it
  // do not count as made on it.
  void moved(double time);

  // Sets what a component's view has from here: model, inputs and how many they are (see steady_inputs.hpp), recent
  // (those of the last `window` among them), invocations (those observed: a host that counts those it did not time sets
  // its own afterwards) and invocations_since_move. The model is a snapshot that later observations
  // do not change; views filled without an observation in between share it.
  void fill(component_view& view) const;

  estimator& model() { return *model_; }
  const estimator& model() const { return *model_; }

  std::uint64_t observed() const { return observed_; }  // invocations, those after a move too
  double observed_seconds() const { return seconds_; }  // of them, useful time
  double busy_core_seconds() const { return busy_; }    // of them, useful time x cores
  double mean_seconds() const;                          // useful time of the last `lately`, not after a move; 0 without

 private:
  struct place {
    std::int64_t octave = 0;  // in 64ths
    int cores = 0;
    double x = 0, cost = 0, count = 0;
  };

  struct kept {
    invocation_sample sample;
    double seconds;
  };

  const kept& recent(std::size_t back) const { return recent_[(next_ + window - 1 - back) % window]; }
  void learn(const observation& seen, double cost);
  void sum_up(const observation& seen, double cost);
  void give_sums();

  std::unique_ptr<estimator> model_;
  mutable std::shared_ptr<const estimator> snapshot_;  // of the model as it is; null when it has learnt since

  steady_inputs inputs_;
  mutable std::vector<typical_input> typical_;  // of so many of them, as long as they are not many more
  mutable std::size_t typical_of_ = 0;
  mutable std::uint64_t typical_at_ = 0;  // observed_
  std::array<kept, window> recent_;
  std::size_t next_ = 0, held_ = 0;

  std::uint64_t observed_ = 0, since_move_ = 0;
  double seconds_ = 0, busy_ = 0, in_force_since_ = 0;

  double window_ends_ = 0;
  std::size_t given_ = 0;  // to the estimator in this window
  std::array<place, most_updates - singly> places_;
  std::size_t used_ = 0;  // of the places
};

}  // namespace weir
