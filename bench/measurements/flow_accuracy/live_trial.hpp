#pragma once

#include <string>

#include <weir/weir.hpp>

#include "bench/measurements/flow_accuracy/application.hpp"
#include "bench/measurements/flow_accuracy/comparison.hpp"
#include "scheduler/predict/network_model.hpp"

namespace weir::flow_accuracy {

// A run of the application on one allotment that measures what each component costs and where records go, as a network
// that predictions can be made for. Costs are the means of the timed invocations: a model of an estimator leaves late
// ones out, and of an exponential time those are a good part of the mean. Throws what the run throws.
network_model measured_model(const application& app, const machine& on, const allotment& given, const trial_options& o);

// Two runs on a mapping beside what the model says: one into which as much is sent as can enter, of which flows are
// seen, and one with Poisson arrivals at `load` of the predicted throughput and streams too long to fill, of which the
// most that waited are. Throws what a run throws.
trial_result live_trial(const application& app, const network_model& model, const std::string& ground,
                        const machine& on, const allotment& given, double load, const trial_options& o);

}  // namespace weir::flow_accuracy
