#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/residual_belief.hpp"

namespace weir {

// Ratios of measured to expected times of invocations, by component and number of cores. Means, not medians, since
// throughput is about means: models are fitted robustly, and a late invocation still takes its time.
//
// Where the last times on the present cores differ from those before, all that is older is of another regime (a cold
// start, a busy neighbour) and is forgotten. Where no smooth curve joins the times on other cores with later ones,
// these are doubted: their error is taken to be as large as it would have to be.
//
// Not thread-safe.
class time_residuals {
 public:
  static constexpr std::size_t most_times = 256;  // kept for each number of cores
  static constexpr std::size_t most_cores = 8;    // numbers of cores kept for each component

  // Takes in the invocations since the last call. Where the model makes another x of the predictors, those before are
  // replaced by the ones that the view has.
  void take(const system_view& view);

  // By component, for the models of this view. Looks for another regime. REQUIRES: take() had this view last.
  std::vector<residual_belief> beliefs(const system_view& view);

  // Forgets all: other components, or other cores.
  void clear() { components_.clear(); }

 private:
  struct sample {
    double x, seconds;
    std::uint64_t number;  // of the invocation
  };
  struct on_cores {
    int cores;
    std::deque<sample> last;
    std::uint64_t latest() const { return last.back().number; }
  };
  struct component {
    std::uint64_t seen;  // invocations
    std::vector<on_cores> by_cores;
    std::uint64_t x_changes = 0;  // of the model, when the samples got their x
  };

  static on_cores& place_of(component& of, int cores);
  static void forget_other_regime(const component_view& c, component& of);
  static std::vector<residual> residuals(const component_view& c, const component& of, int now);

  std::vector<component> components_;
};

}  // namespace weir
