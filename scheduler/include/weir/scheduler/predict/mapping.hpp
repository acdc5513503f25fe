#pragma once

#include <string>
#include <vector>

#include <weir/scheduler/predict/network_model.hpp>
#include <weir/scheduler/view/allotment.hpp>

namespace [[gnu::visibility("default")]] weir {

// Which cores the invocations of every component run on. Unlike in an allotment, any components may share any cores.
// Plain data, by component index.
struct mapping {
  // Where one component runs.
  struct entry {
    core_set cores;  // empty: the component's device
    int width = 1;   // concurrent invocations
    // False: the cores are cut into `width` lanes of floor or ceil(cores/width) neighbours, like a share. True: an
    // invocation takes any one free core of them, as in the shared group.
    bool roams = false;

    bool operator==(const entry&) const = default;
    // Cores that all invocations together use; 1 for each that roams or is on a device.
    int cores_at_once() const { return roams || cores.empty() ? width : cores.size(); }
    // Cores of one invocation, in the largest lane; 1 on a device.
    int invocation_cores() const { return (cores_at_once() + width - 1) / width; }
    // The cores of each lane; a roaming component has one core in each.
    std::vector<core_set> lanes() const;
  };
  std::vector<entry> components;  // in network order
  bool operator==(const mapping&) const = default;

  // All cores that some component uses.
  core_set used() const;
};

// An allotment as a mapping. Owners keep their lanes. Members of the shared group may use any of its cores, each with
// as many concurrent invocations as its box allows. A component on a device gets no core. It has one concurrent
// invocation, or as many as its share says may wait outside the cores.
mapping mapping_of(const allotment& given, const network_model& network);

// Tests a mapping on cores 0..cores-1. Returns "" if every component has cores or its device, within its bounds, and no
// device holds more than its slots. Otherwise returns one sentence about the first fault.
std::string check(const mapping& given, const network_model& network, int cores);

// A mapping in words, such as `a {0-1} 2 lanes, b any of {2-3}, c on fpga, 2 at once`.
std::string to_string(const mapping& given, const network_model& network);

}  // namespace weir
