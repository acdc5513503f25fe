#pragma once

#include <string>

#include <weir/scheduler/predict/network_model.hpp>
#include "bench/measurements/flow_accuracy/comparison.hpp"
#include "bench/measurements/flow_accuracy/random_network.hpp"

namespace weir::flow_accuracy {

// A drawn network in the form for predictions, with its drawn times and parts. Components `b0`, `b1`, .. have
// exponential times and send each record on over one of their streams.
network_model model_of(const random_network& drawn);

// The two runs of a live trial in virtual time. Only the components cost time there, so any error is the prediction's.
// Times are exponential if a component's variation is 1, otherwise log-normal with that variation. A component whose
// links carry parts that sum to 1 sends each record on one of them. The result follows from the options' seed alone.
// Each run has `records` records, whatever the options' seconds. Throws std::invalid_argument if the simulation cannot
// run such a network: a join whose streams carry different numbers of records.
trial_result simulated_trial(const std::string& name, const network_model& model, int cores, const allotment& given,
                             double load, std::uint64_t records, const trial_options& o);

}  // namespace weir::flow_accuracy
