#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/learner.hpp"

namespace weir::allocation_cost {

// The views of a run without threads. Its chain of components, each with its own law and sizes of input, is learnt by
// the default estimator from 256 invocations on several numbers of cores. The allotment in force is what was right
// before the sizes changed, on a machine whose every 16 cores share an L3. The same arguments give the same views.
class run_view {
 public:
  run_view(std::int64_t components, std::int64_t cores, int max_width);

  // After the sizes changed: half of the components take one and a half times as long.
  const system_view& now() const { return view_; }

  // Adds 16 invocations to every `part`-th component, others at each call, and refreshes its part of `view`. Their
  // sizes change every 32 calls.
  void go_on(system_view& view, std::size_t part = 1);

 private:
  struct component {
    explicit component(std::unique_ptr<estimator> model) : known(std::move(model)) {}
    learner known;
    double sequential = 0, alpha = 0, contention = 0, fork_join = 0, smallest = 0, octaves = 0;
    int pieces = 0;  // 0: its time is smooth in cores
  };

  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double seconds(const component& c, double x, int cores) const;
  void invoke(component& c, double factor, int cores);

  std::mt19937 random_{7};
  std::vector<component> components_;
  system_view view_;
  double time_ = 0;
  int calls_ = 0;
};

}  // namespace weir::allocation_cost
