#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/weir/explain_rows.hpp"
#include "scheduler/topology.hpp"

namespace weir::command {

// How near another invocation ran: on one of the same cores; on other cores, but of the same last-level cache; of
// another cache, but the same NUMA node.
enum class nearness { core, cache, node };

// Of each invocation of a component, how many invocations of another ran during it, on average over its time.
struct overlap_with {
  std::uint32_t other = 0;
  std::array<std::vector<float>, 3> average;  // by nearness; in the order of the component's rows
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

  // With every other component, in their order. Overlaps of less than a ten-thousandth of the time count as none: they
  // are rounding. `lasting`, where it is not 0: as if each of the component's invocations had taken so many seconds, so
  // that the overlap does not depend on how long it took.
  std::vector<overlap_with> of(std::uint32_t component, double lasting = 0) const;

 private:
  struct span {
    int first = 0, last = 0;
  };
  using event = std::pair<double, std::uint64_t>;  // time, and 2 row (a start) or 2 row + 1 (an end)
  struct reach {
    std::array<span, 3> of;  // what lies on these cores is that near, or nearer
  };

  reach reach_of(const invocation& row) const;
  std::vector<event> events_of(std::uint32_t component, double lasting) const;  // in order
  bool is_placed(const invocation& row) const { return row.first_core >= 0 || !run_.has_core_set; }

  const observed_run& run_;
  int cores_ = 1;
  double began_ = 0;
  std::vector<span> cache_, node_;  // of each core
  std::vector<event> events_;       // in order
};

}  // namespace weir::command
