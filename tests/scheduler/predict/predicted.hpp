#pragma once

#include <utility>
#include <vector>

#include <weir/scheduler/predict/predict_flow.hpp>

// The prediction of predict_flow for a network.
namespace weir::testing {

inline mapping on(std::vector<mapping::entry> entries) { return {std::move(entries)}; }

inline network_prediction predicted(const network_model& net, const mapping& where, int cores, double rate = 0,
                                    sharing rule = sharing::work_conserving) {
  net.validate();
  return predict_flow(net, where, cores, {.rate = rate, .rule = rule});
}

}  // namespace weir::testing
