#pragma once

namespace [[gnu::visibility("default")]] weir {

// The most values that the cost of one component may depend on.
inline constexpr int most_predictors = 6;

// How a model takes one of several predictors.
enum class predictor_form {
  number,    // its size counts; a model may still find that few values have a level each
  kind,      // each value has a level of its own: an integer without an order
  candidate  // found by weir, not named by the user: it counts where it helps, as either of the above
};

}  // namespace weir
