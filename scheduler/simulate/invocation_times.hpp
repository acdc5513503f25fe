#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/simulate/record_draws.hpp"
#include "scheduler/simulate/scenario.hpp"
#include "scheduler/simulate/slow_periods.hpp"

namespace weir::simulation {

// How long invocations on cores take, if nothing presses on them: the component's truth, the draws of the records, the
// kinds of the cores, and the slow-downs of the scenario. Not thread-safe.
class invocation_times {
 public:
  // Refers to the scenario, which must outlive it. `machine`: its cores; null: they are alike.
  invocation_times(const scenario& of, std::uint64_t seed, record_draws::predictor shown,
                   std::shared_ptr<const topology> machine);

  const record_draws& draws() const { return draws_; }

  // An invocation. Plain data.
  struct work {
    double seconds;
    double shown_x;  // as the learning side sees it: the power mean over the records
  };
  // For these records, on the first `cores` cores of a lane, begun at `time` in `phase`. Members of the shared group
  // run on the first. REQUIRES: times do not fall, and there is a record.
  work of(std::size_t component, const std::vector<token>& records, const core_set& lane, int cores, double time,
          std::size_t phase);

 private:
  double kind_factor(std::size_t component, const core_set& lane, int cores, double x, std::size_t phase) const;

  const scenario& scenario_;
  record_draws draws_;
  std::shared_ptr<const topology> machine_;        // null: cores are alike
  std::vector<std::vector<double>> kind_factors_;  // by component and kind
  slow_periods slow_;
};

}  // namespace weir::simulation
