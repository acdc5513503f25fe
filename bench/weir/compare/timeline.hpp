#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/weir/compare/compare_run.hpp"

namespace weir::command {

// What one run looked like over time. Plain data; seconds since the run started.
struct timeline {
  // Who had which cores, for a while: cores of each component's own and of the shared group's own. A group without any
  // lies on a core of `host`; -1 otherwise.
  struct division {
    double from = 0, until = 0;
    std::vector<int> owned;
    int shared = 0;
    int host = -1;
  };
  using curve = std::vector<std::pair<double, double>>;  // time, records a second

  std::string title;
  double end = 0;
  int cores = 0;
  std::vector<std::string> components;
  std::vector<division> divisions;  // one after another; none for a free-for-all
  curve observed;                   // results a second, over the window before
  curve predicted;                  // by the models as they were then, of the allotment in force
  std::vector<double> phases;       // when the first record of each further phase was sent
};

// Observed: over the window before, which is a twentieth of the run, or so long that it holds eight results on
// average. Predicted: the expected bottleneck (scheduler/expect/expectation.hpp), from models that have learnt what was
// observed until then and no more.
timeline timeline_of(const compare_plan& plan, const compared_run& run);

}  // namespace weir::command
