#pragma once

#include <string>

#include <weir/weir.hpp>

#include <weir/scheduler/predict/network_model.hpp>
#include "bench/measurements/flow_accuracy/application.hpp"
#include "bench/measurements/flow_accuracy/comparison.hpp"

namespace weir::flow_accuracy {

// Runs the application on one allotment and measures the cost of each component and the flows of records, as a network
// for predictions. Costs are the means of the timed invocations. An estimator's model leaves out late invocations,
// which are a large part of the mean of an exponential time. Throws what the run throws.
network_model measured_model(const application& app, const machine& on, const allotment& given, const trial_options& o);

// Compares the model with two runs on a mapping. One gets as much input as can enter; its flows are compared. The other
// has Poisson arrivals at `load` of the predicted throughput and streams too long to fill; its largest queue lengths
// are compared. Throws what a run throws.
trial_result live_trial(const application& app, const network_model& model, const std::string& ground,
                        const machine& on, const allotment& given, double load, const trial_options& o);

}  // namespace weir::flow_accuracy
