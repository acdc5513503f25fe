#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/predict/mapping.hpp>
#include <weir/scheduler/predict/network_model.hpp>
#include "bench/weir/common/machines_file.hpp"
#include "scheduler/predict/device_flow.hpp"
#include "scheduler/predict/device_placement.hpp"

namespace weir::program {

// How far one invocation may be from its predicted cost. Seconds; NaN if unknown.
struct cost_spread {
  double seconds = 0, sd = 0;
  double low = 0, high = 0;   // the interval that contains nine in ten
  bool extrapolates = false;  // this number of cores was never observed
  double mean_sd = 0;         // of the mean over many invocations
};

// The observations that a component's cost was learnt from.
struct cost_basis {
  std::string words;         // as description::words
  bool alpha_known = false;  // false: the gain of further cores is assumed
  std::function<cost_spread(int cores)> on;
};

// The content of a file: a network and, if given, where it runs. Plain data.
struct flow_file {
  std::string kind;  // "network", "report of a run", "saved models"
  network_model network;
  std::vector<device_alternative> alternatives;  // of components that run on cores or on a device
  std::vector<device_costs> both;                // of a report: components that ran on cores and on a device
  std::vector<cost_basis> bases;                 // by component; empty for a network file, which states its costs
  std::optional<mapping> where;
  int cores = 0;          // 0: not said
  double rate = 0;        // offered records per second; 0: not said
  std::string learnt_on;  // of saved models: the machines, with "; " between them; empty: not known

  std::optional<cluster> machines;
  std::vector<component_place> places;  // by component; empty: all on machine 0, and bytes are not known
  double bytes = 0;                     // of a record that enters
};

}  // namespace weir::program
