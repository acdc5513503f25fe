#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <weir/scheduler/predict/predict_flow.hpp>
#include "scheduler/predict/cluster.hpp"

namespace weir {

// A network whose components are on machines. Plain data.
struct placed_network {
  network_model network;
  std::vector<double> bytes;  // of a record on each of network.all_links(); empty: 0
  std::vector<int> at;        // by component: its machine, or `everywhere`; empty: all on machine 0
  cluster machines;

  std::vector<double> bytes_of_links() const;  // as many as links
  std::vector<int> places() const;             // as many as components
  // Throws std::invalid_argument, as network.validate() and machines.validate() do; also when a component that joins,
  // or one before it, is everywhere, or when one on a device is not on machine 0.
  void validate() const;
};

// The throughput and more of a network on machines, by the model. Plain data.
struct cluster_prediction {
  cluster_plan plan;
  network_model network;          // the parts of the plan but choices; wires share ports as components share cores
  std::vector<std::size_t> part;  // by component of it: the part of the plan
  mapping where;                  // on the cores of the machines, then on two ports of each: out, in
  network_prediction predicted;   // the bottleneck names ports, `cores` are those of the machines alone

  // The busy parts of each machine's ports.
  struct port {
    double out = 0, in = 0;
  };
  std::vector<port> ports;
};

// Predicts a network on machines (predict_flow.hpp). Each machine divides its own cores among its components, for the
// most records a second. A component with less than one core's work shares, and any other owns cores, in the lanes that
// are best. Or all share all cores if that is better. A wire is a service that takes the sender's port out and the
// receiver's port in, of one record at a time. Records under way are on a device with as many slots as credit allows.
//
// Throws std::invalid_argument as of.validate() and options.validate() do, and when a machine has too few cores for its
// components.
cluster_prediction predict_on_machines(const placed_network& of, const flow_options& options = {});

// The most records a second that can enter, without the rest: the same to rounding, and much cheaper for many places.
// Refers to the network, which must outlive it.
class cluster_capacity {
 public:
  // Throws std::invalid_argument as of.validate() does.
  explicit cluster_capacity(const placed_network& of);

  // With the components at these places. 0 when a machine has too few cores for what runs there.
  double throughput(const std::vector<int>& at);

  // How a machine divides its cores among components with these visits each.
  struct division {
    double throughput = 0;                   // records a second that can enter; 0: too few cores
    std::vector<mapping::entry> components;  // as `members`; cores are counted from 0
  };
  division divide(const std::vector<std::size_t>& members, const std::vector<double>& visits, int cores);

 private:
  // The most invocations a second on a number of cores, and in how many lanes.
  struct lanes {
    double rate = 0;
    int width = 1;
  };
  const lanes& best(std::size_t component, int cores);
  int cores_for(std::size_t component, double rate, int most);
  // Members own as many cores as `own` says, and those with 0 share the group's.
  division divided(const std::vector<std::size_t>& members, const std::vector<double>& visits,
                   const std::vector<int>& own, int group);
  std::vector<int> owned(const std::vector<std::size_t>& members, const std::vector<double>& visits, double rate,
                         int cores);

  const placed_network& of_;
  const network_flow flow_;
  const std::vector<double> bytes_;
  const std::vector<link> links_;
  std::vector<std::vector<lanes>> best_;  // by component, by cores - 1
};

}  // namespace weir
