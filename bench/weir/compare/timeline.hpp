#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/weir/compare/compare_run.hpp"

namespace weir::command {

// The course of one run over time. Plain data; seconds since the run started.
struct timeline {
  // The cores for some time: the cores of each owner, and the cores of the shared group. A group without cores is on
  // a core of the component `host`; -1: there is no such group.
  struct division {
    double from = 0, until = 0;
    std::vector<int> owned;
    int shared = 0;
    int host = -1;
  };
  using curve = std::vector<std::pair<double, double>>;  // time, records per second

  std::string title;
  double end = 0;
  int cores = 0;
  std::vector<std::string> components;
  std::vector<division> divisions;  // one after another; empty for a free-for-all
  curve observed;                   // results per second, over the preceding window
  curve predicted;                  // by the models at that time, for the allotment in force
  std::vector<double> phases;       // the moment when the first record of each further phase was sent
};

// Observed: over the preceding window, which is a twentieth of the run, or longer if it would hold less than eight
// results on average. Predicted: the expected bottleneck (scheduler/expect/expectation.hpp), from models that have
// learnt only what was observed until then.
timeline timeline_of(const compare_plan& plan, const compared_run& run);

}  // namespace weir::command
