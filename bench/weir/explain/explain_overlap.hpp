#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "bench/weir/explain/observed_run.hpp"
#include "scheduler/machine/topology.hpp"

namespace weir::command {

// How near another invocation ran: on one of the same cores; on other cores, but of the same last-level cache; of
// another cache, but the same NUMA node.
enum class nearness { core, cache, node };

// Of each invocation of a component, by nearness and in the order of the component's rows, what ran beside it of
// another.
struct overlap_with {
  std::uint32_t other = 0;

  // How many of the other's invocations, on average over its time.
  std::array<std::vector<float>, 3> average;

  // The same as it can be known when it has just begun: what is left of those of the other that run then, in units of
  // a typical time and at most that for each. It does not depend on how long this invocation takes, nor on what
  // begins because it ends.
  std::array<std::vector<float>, 3> begun;
};

// Overlaps of a run's invocations, by a sweep over their starts and ends: O(n log n), and O(log cores) for each
// component at each of them. An invocation lasts from its start for its seconds; its lane is a run of cores, as all of
// weir's are, and the cores of a cache or node are runs too, as hwloc numbers them. Where a file does not tell cores,
// everything counts as on the same core. Invocations whose cores are not known overlap with none.
//
// REQUIRES: run and topology outlive it; cores that are known are the topology's.
class overlap_sweep {
 public:
  overlap_sweep(const observed_run& run, const topology& cores);

  // With every other component, in their order. `typical`: seconds of an invocation of the component, positive; has
  // just begun whoever has run for a twentieth of it, since neighbours in a stream begin together, in whatever order.
  // Overlaps of less than a ten-thousandth count as none: they are rounding.
  std::vector<overlap_with> of(std::uint32_t component, double typical) const;

 private:
  struct span {
    int first = 0, last = 0;
  };
  enum moment : std::uint32_t { begins, has_begun, ends };  // of an invocation
  struct event {
    double time = 0;
    std::uint32_t row = 0;
    moment what{};
    bool operator<(const event& other) const {
      return std::tie(time, row, what) < std::tie(other.time, other.row, other.what);
    }
  };
  struct reach {
    std::array<span, 3> of;  // what lies on these cores is that near, or nearer
  };

  reach reach_of(const invocation& row) const;
  std::vector<event> events_of(std::uint32_t component, double typical) const;  // in order
  bool is_placed(const invocation& row) const { return row.first_core >= 0 || !run_.has_core_set; }

  const observed_run& run_;
  int cores_ = 1;
  double began_ = 0;
  std::vector<span> cache_, node_;  // of each core
  std::vector<event> events_;       // beginnings and ends of all, in order
};

}  // namespace weir::command
