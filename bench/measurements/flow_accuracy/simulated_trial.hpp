#pragma once

#include <string>

#include "bench/measurements/flow_accuracy/comparison.hpp"
#include "bench/measurements/flow_accuracy/drawn_network.hpp"
#include "scheduler/predict/network_model.hpp"

namespace weir::flow_accuracy {

// A drawn network as a prediction takes it, with the times and parts that it was drawn with: components `b0`, `b1`, ..
// of exponential times, each sending what comes on over one of its streams.
network_model model_of(const drawn_network& drawn);

// The two runs of a live trial under virtual time, where nothing costs but the components: what is wrong then is the
// prediction. Times are exponential where a component's variation is 1, else log-normal of that variation. A component
// whose links carry parts that sum to 1 sends each record on one of them. Follows from the options' seed and nothing
// else; each run has so many records, whatever the options' seconds. Throws std::invalid_argument where the simulation
// cannot run such a network: a join whose streams carry different numbers of records.
trial_result simulated_trial(const std::string& name, const network_model& model, int cores, const allotment& given,
                             double load, std::uint64_t records, const trial_options& o);

}  // namespace weir::flow_accuracy
