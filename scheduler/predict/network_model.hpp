#pragma once

#include <string>
#include <vector>

#include "scheduler/view/held_function.hpp"
#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// A network as a prediction needs it: what components cost, where records go, which devices there are. Plain data, made
// from a file, from a network with models, or by hand.
struct network_model {
  struct component {
    std::string name;
    held_function<double(int cores)> seconds;  // mean of one invocation on so many cores; on a device: seconds(1)
    double variation = 1;  // squared coefficient of variation of that: variance over squared mean; 1: exponential
    int min_cores = 1, max_cores = unlimited;  // altogether, as in component_view
    int max_width = unlimited;                 // invocations at once
    bool joins = false;  // one invocation takes one record of every stream that leads to it (a synchrocell)
    int device = -1;     // index of the device it runs on, without any core, or -1
    int slots = 1;       // of the device, for each invocation at once
  };

  // What is no core and has room for so much: the area of an FPGA, in Beard, Chamberlain and Franklin.
  struct device {
    std::string name;
    int slots = 1;
  };

  std::vector<component> components;  // in network order: a link to one that is not later is a way back
  // Records that leave on each way for one invocation of `from`, -1 the network's input, for one record that enters:
  // gain times routing fraction. `to` -1 is the output. Empty: a chain of all components.
  std::vector<link> links;
  std::vector<device> devices;
  std::vector<std::string> assumed;  // what nobody measured or said, one sentence each

  // The links, those of a chain when none are given.
  std::vector<link> all_links() const;

  // Throws std::invalid_argument naming what was given and what was expected: no components, one without a name or with
  // one that is taken, times and bounds that cannot be, links to nowhere, a join that waits for what it makes itself.
  void validate() const;
};

// Where records go for each one that enters, whatever cores there are. Vectors are by component or by link of
// all_links().
struct network_flow {
  std::vector<double> visits;   // invocations
  std::vector<double> gain;     // records given for one invocation
  std::vector<double> records;  // on every link
  // Of those, what a join finds no partner for: it is held, more and more of it. Nothing where joins get equally much.
  std::vector<double> held;
};

// Solves sum of out = gain x sum of in at every component; of a join, gain x what comes on its slowest stream. (The
// print of Beard, Chamberlain and Franklin's equation 2 has out = in.) Where several links lead from the input, each is
// a source of its own, and a join holds those back that only feed faster streams of it, until all are as slow as the
// slowest: what is asked for on the links are then upper bounds. What cannot be held back so, since one source feeds
// both sides, stays in `held`.
//
// Throws std::invalid_argument as validate() does, and where a loop returns as many records as it takes, as visits_of
// does.
network_flow flow_of(const network_model& network);

}  // namespace weir
