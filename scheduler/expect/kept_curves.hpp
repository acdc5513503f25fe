#pragma once

#include <memory>
#include <vector>

#include <weir/scheduler/view/allocation_options.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/expect/component_times.hpp"
#include "scheduler/expect/cost_curve.hpp"

namespace weir {

// The times and curves of one view after another. Results for a component are kept while its model, its inputs and its
// bounds stay the same. So a view in which few components changed costs little. The answers are those of times_of() and
// curves_of(), also after a call that threw std::bad_alloc: its unfinished results are not kept. Not thread-safe.
class kept_curves {
 public:
  explicit kept_curves(throughput_options options) : options_(options) {}

  // Refers to the view, and valid until the next call.
  std::vector<component_times>& times(const system_view& view);

  // The same. REQUIRES: as cost_curve.
  std::vector<cost_curve>& curves(const system_view& view);

 private:
  // The times and the curve of a component depend on these.
  struct origin {
    std::shared_ptr<const estimator> model;  // kept alive, so that no other has its address; null: nothing is kept
    std::vector<typical_input> inputs;
    double time_factor = 1, visits = 1;
    int min_cores = 1, max_cores = 1, max_width = 1, blocking = 0;
    bool sequential = false;
    bool has_curve = false;
  };

  static bool has_times_of(const origin& known, const component_view& component);
  static bool has_curve_of(const origin& known, const component_view& component);

  throughput_options options_;
  int cores_ = 0;  // that the curves are for
  std::vector<origin> origins_;
  std::vector<component_times> times_;
  std::vector<cost_curve> curves_;  // refer to times_
};

}  // namespace weir
