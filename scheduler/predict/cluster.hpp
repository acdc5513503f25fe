#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// The cost of a record on its way from one machine to another, as in LogGP (Alexandrov, Ionescu, Schauser and Scheiman,
// SPAA 1995): L, g and G. Plain data.
struct machine_link {
  double latency = 0;         // L, seconds: any number of records wait for it at the same time
  double record_seconds = 0;  // g: for each record, the ports at both ends are taken for this time
  double bytes_per_second = std::numeric_limits<double>::infinity();  // 1/G: and for its bytes over this

  // Seconds that a record of this size takes the ports.
  double occupies(double bytes) const { return record_seconds + bytes / bytes_per_second; }
  bool operator==(const machine_link&) const = default;
};

// Machines: groups of cores, each with a port to the others. Plain data.
struct cluster {
  // Two machines whose link differs from the usual one, in both directions.
  struct pair {
    int a = 0, b = 0;
    machine_link cost;
  };

  std::vector<int> cores;   // of each machine; they are numbered one machine after the other
  machine_link usual;       // between any two machines
  std::vector<pair> pairs;  // but for these
  // False: what goes from one machine to another passes machine 0, where the network's input and output are, as in a
  // run on ranks between parts with a state. True: it goes there directly, as it does between parts without one that
  // are neighbours in a chain (runtime/remote/README.md, "Routes").
  bool direct = false;
  // The records that may be on their way over one cut in one direction, sent and not yet taken up:
  // remote::window_limits.
  int window_records = 512;
  double window_bytes = 32.0 * 1024 * 1024;

  int machines() const { return static_cast<int>(cores.size()); }
  int all_cores() const;
  int first_core(int machine) const;
  const machine_link& between(int a, int b) const;
  // Records of this size that may be on their way over a cut: at least 1.
  int window(double bytes) const;

  // Throws std::invalid_argument naming what was given and what was expected.
  void validate() const;
};

// The place of a component that runs on every machine, each with an equal part of the keys: `!@` in S-Net.
inline constexpr int everywhere = -1;

// A network on machines: its components, each on one machine or everywhere, and what carries records between them.
// Plain data. A record that goes from machine to machine takes both ports for its time on the wire, and is then under
// way for the latency; credit bounds how many are.
struct cluster_plan {
  struct part {
    enum class kind {
      component,
      choice,  // takes no time: each record goes on to one of several machines, by its key
      wire,    // takes the sender's port out and the receiver's port in, for one record at a time
      flight   // the latency
    };
    kind what = kind::component;
    std::string name;    // "work", "work@3", "work -> store, 3 -> 0", "... under way"; no other's
    std::size_t of = 0;  // of a component: its index in the network
    int machine = 0;     // where it is; of wires and flights: the sender
    int to_machine = 0;  // of wires and flights: the receiver
    double seconds = 0;  // of wires and flights: for each record
    int at_once = 1;     // of wires and flights: records at a time
  };
  std::vector<part> parts;  // in network order: what carries the output of a component away follows it
  std::vector<link> links;  // between parts, for one invocation of `from`
};

// Spreads components over machines. `names` and `at` are by component: a machine, or `everywhere`. `links` are for one
// invocation of `from`, with the bytes of a record on each in `bytes`; -1 is the network's input or output, at machine
// 0. A link between two components that are everywhere stays on its machine.
// REQUIRES: machines.validate() and check_places() found nothing.
cluster_plan spread_over(const cluster& machines, const std::vector<std::string>& names, const std::vector<int>& at,
                         const std::vector<link>& links, const std::vector<double>& bytes);

// The machines that a record passes on its way from one to another, without the first.
std::vector<int> way_between(const cluster& machines, int from, int to);

// "" if every component is on a machine that there is, or everywhere; else one sentence about the first that is not.
std::string check_places(const cluster& machines, const std::vector<std::string>& names, const std::vector<int>& at);

}  // namespace weir
