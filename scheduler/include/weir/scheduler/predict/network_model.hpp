#pragma once

#include <string>
#include <vector>

#include <weir/scheduler/view/held_function.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

// A network in the form that predictions need: the costs of components, the links between them, and devices. Plain
// data. It is made from a file, from a network with models, or by hand.
struct network_model {
  // The part of a resource that an invocation needs while it runs.
  struct need {
    int resource = 0;   // index of it
    double amount = 1;  // above 0, the total at most
  };

  // The cost of one component, and how many cores it can use.
  struct component {
    std::string name;                          // not empty, and no other's
    held_function<double(int cores)> seconds;  // mean of one invocation on `cores` cores; on a device: seconds(1)
    double variation = 1;                      // squared coefficient of variation of the time; 1: exponential
    int min_cores = 1, max_cores = unlimited;  // of all invocations, as in component_view
    int max_width = unlimited;                 // concurrent invocations
    bool joins = false;         // one invocation takes one record of every stream that leads to it (a synchrocell)
    int device = -1;            // index of the device it runs on, without any core, or -1
    int slots = 1;              // slots of the device that each concurrent invocation takes
    std::vector<need> needs{};  // of different resources

    // An invocation takes the records that wait, at most `together`; a mean where that bound varies. `seconds` is the
    // time of a full invocation over its records. Its first `batch_start` seconds, all if it is shorter, do not depend
    // on the number of records.
    double together = 1, batch_start = 0;

    int priority = 1;  // its weight where it shares cores (box_network::priority()), 1 or more

    // seconds(cores), checked. Throws std::invalid_argument naming the component, the cores and the time, unless it is
    // in [1e-18, 1e18]: predictions compute with no other time.
    double time_on(int cores) const;
  };

  // A resource that is not a core and has a number of slots, such as the area of an FPGA in Beard, Chamberlain and
  // Franklin.
  struct device {
    std::string name;  // in messages and mappings
    int slots = 1;     // that it has
  };

  // Something else that invocations share, such as memory or licences.
  struct resource {
    std::string name;  // in messages
    double total = 1;  // of it, above 0
  };

  std::vector<component> components;  // in network order: a link to a component that is not later leads back
  // The records that leave on each link for one invocation of `from`: gain times routing fraction. If `from` is -1, the
  // network's input, they are for one record that enters. If `to` is -1 they leave the network. Empty: a chain of all
  // components.
  std::vector<link> links;
  std::vector<device> devices;       // told by index in component::device
  std::vector<resource> resources;   // told by index in component::needs
  std::vector<std::string> assumed;  // assumptions that were neither measured nor given, one sentence each

  // The links; a chain if none are given.
  std::vector<link> all_links() const;

  // The invocations of a component that may run at a time by its needs alone, 1 or more.
  int most_by_needs(std::size_t component) const;

  // Throws std::invalid_argument naming what was given and what was expected. It rejects a network without components,
  // a missing or repeated name, and impossible times or bounds. It also rejects a link to a component that does not
  // exist, and a join that waits for its own output.
  void validate() const;
};

// The flow of records for each one that enters, independent of cores. Vectors are by component or by link of
// all_links().
struct network_flow {
  std::vector<double> visits;   // invocations per record that enters
  std::vector<double> gain;     // records given for one invocation
  std::vector<double> records;  // on every link, per record that enters
  // The part of `records` that a join finds no partner for, so that ever more of it is held. 0 where a join's streams
  // are equal.
  std::vector<double> held;
};

// Solves sum of out = gain x sum of in at every component. For a join it is gain x the records on its slowest stream.
// As printed, equation 2 of Beard, Chamberlain and Franklin has out = in.
//
// If several links lead from the input, each is a source of its own. A join holds back the sources that feed only its
// faster streams, until all its streams are as slow as the slowest. So the records asked for on these links are upper
// bounds. If one source feeds both sides it cannot be held back, and the excess stays in `held`.
//
// Throws std::invalid_argument as validate() does, and as visits_of() does if a loop returns as many records as it
// takes. Also throws it if one record causes more than 1e12 invocations of a component, or if less than one in 1e30
// records reaches any.
network_flow flow_of(const network_model& network);

}  // namespace weir
