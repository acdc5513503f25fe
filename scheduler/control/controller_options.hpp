#pragma once

namespace weir {

// The constants of the controller, each with its reason. Plain data.
struct controller_options {
  // The least gain that a move must promise. Less is not worth the disturbance, and is within the error of models.
  double min_gain = 0.02;

  // How many standard errors of the bottleneck's mean time a move must promise in addition to min_gain. A realised gain
  // is given the same tolerance. One, since a false alarm costs one move, while waiting costs throughput at every
  // record.
  double noise_weight = 1;

  // Invocations of the reference component between two moves. With 5 % noise the mean of 6 is known to 2 %, which is
  // min_gain. A longer wait would serve inputs that are already past.
  int patience = 6;

  // Replaces `patience` while waiting could confirm nothing. One case is an allotment that was decided before
  // everything was observed. The other is a move that changes the cores of a component whose model cannot know the
  // effect. Two, so that a single outlier does not decide.
  int early_patience = 2;

  // Seconds that a move costs where no cost was measured (system_view::move_cost). A oneTBB worker that changes arenas
  // takes up to 0.34 ms, and a few do so together.
  double move_cost = 1e-3;

  // Network inputs over which a move must pay for itself. It is many times the patience, since a stream that changes
  // faster cannot be followed anyway.
  double horizon = 100;

  // A move that realised less than this part of its predicted gain went wrong. A half: the gain that looks best among
  // many is usually overestimated, but noise alone seldom takes half of one that passed the threshold.
  double kept_part = 0.5;

  // After a move that went wrong, its direction stays blocked for this count of invocations of the component that was
  // to profit. As long as the horizon: by then the model has forgotten enough to deserve another trial. When that goes
  // wrong as well, twice as long, and so on up to 64 times, until a move in that direction holds.
  int block_for = 100;

  // Exploration tries the critical component on more cores than it was ever seen on, whatever its model says. It does
  // so if the gain, assuming that no core is wasted, would exceed this; 0: never. A tenth is more than exploration
  // usually costs and more than models usually err.
  double exploration_threshold = 0.1;

  // The largest cost of exploration by the models, as a part of the run's time.
  double explored_part = 0.02;

  // False: a move's realised gain is measured and kept with the decision, but no move is taken back and no direction
  // blocked.
  bool verify = true;

  // Whether a stream that swings is remembered (stream_history.hpp), and answered with one division where following it
  // would cost more.
  bool remember = true;

  // Whether an allotment that was measured to be clearly better than the one in force is gone back to, whatever the
  // models say (stream_history.hpp). Without `verify` it is not.
  bool go_back = true;

  // Whether the inputs of records that wait are a forecast (component_view::next_inputs): where they are unlike those
  // before, they take their place.
  bool look_ahead = true;

  // For a rule that decides once: after this count of invocations of a component its model counts as complete, even if
  // it is unknown how its time changes with cores. Equal shares give only one number of cores, and more invocations on
  // it teach nothing about others.
  int settle_after = 64;

  // Throws std::invalid_argument naming the field and the value.
  void validate() const;
};

}  // namespace weir
