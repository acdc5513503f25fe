#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/predict/cluster.hpp"

namespace weir::program {

// Machines in a network or scenario file (bench/weir/flow/README.md), and on the command line. All throw bad_input that
// names the place, what was found and what was expected.

// {"count": 4, "cores": 48, "latency": 2e-5, ..}.
cluster cluster_of(const nlohmann::json& value, const std::string& place);

// "4x48 latency=2e-5 bytes_per_second=1e9": 4 machines of 48 cores, and the same keys.
cluster cluster_from(const std::string& option, const std::string& text);

// Where a component is, and the bytes of a record that it gives: its keys "machine" and "bytes".
struct component_place {
  int machine = 0;  // or everywhere; before the number of machines is known
  double bytes = 0;
};
component_place place_of(json_object& component);

// The bytes of a record that enters the network or leaves a component.
double bytes_of(json_object& in);

// By component: the machine, modulo the number of machines, or everywhere.
std::vector<int> places_on(const cluster& machines, const std::vector<component_place>& given);

// By link: the bytes of a record, by where it comes from.
std::vector<double> bytes_on(const std::vector<link>& links, double enters, const std::vector<component_place>& given);

}  // namespace weir::program
