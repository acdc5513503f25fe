#pragma once

namespace weir {

// The constants of the controller, each with its reason. Plain data.
struct controller_options {
  // The least gain that a move must promise. Less is not worth the disturbance, and is within the error of models.
  double min_gain = 0.02;

  // How many standard errors of the bottleneck's mean time a move must promise in addition to min_gain. Errors of
  // models are in the draws already; this is for inputs, since the next ones are others.
  double noise_weight = 0.3;

  // Whether allotments are weighed by draws of possible errors of models. If not, the policy's answer to the
  // models as they are comes into force where it promises more than min_gain and noise, and pays within the horizon.
  bool by_draws = true;

  // Invocations of the reference component on an allotment before others are weighed. Two, so that a single outlier
  // does not decide. One is enough where no record had reached it before: it may be the slowest, on the fewest cores.
  int early_patience = 2;

  // Invocations of it between two times that others are weighed, at most. That takes up to a millisecond.
  int ask_every = 12;

  // Invocations after which the gain of a move is measured. With 5 % noise the mean of 6 is known to 2 %, which is
  // min_gain.
  int patience = 6;

  // Seconds that a move costs where no cost was measured (system_view::move_cost). A oneTBB worker that changes arenas
  // takes up to 0.34 ms, and a few do so together.
  double move_cost = 1e-3;

  // Records until a trial has told whether an allotment is better: `patience`, and those that are under way.
  double trial = 8;

  // Records over which a move or a trial must pay: as many as had inputs like the latest, within these bounds. A stream
  // that changes faster than the least cannot be followed. Longer than the most, knowledge of a stream seldom holds.
  double least_horizon = 50;
  double horizon = 1000;

  // Whether a stream that swings is remembered (stream_history.hpp), and answered with one division where following it
  // would cost more.
  bool remember = true;

  // Whether the inputs of records that wait are a forecast (component_view::next_inputs): where they are unlike those
  // before, they take their place.
  bool look_ahead = true;

  // Whether it is learnt how much components slow each other down (learnt_interference.hpp), and moves heed it. In
  // simulations alone: a wrong coupling may let them move without end.
  bool interference = false;

  // Invocations after which the absence of evidence counts. A component that was never invoked while another had as
  // many is taken to be one that no record reaches. A rule that decides once takes the model of a
  // component with as many for complete, even if it is unknown how its time changes with cores. Equal shares give only
  // one number of cores, and more invocations on it teach nothing about others.
  int settle_after = 64;

  // Throws std::invalid_argument naming the field and the value.
  void validate() const;
};

}  // namespace weir
