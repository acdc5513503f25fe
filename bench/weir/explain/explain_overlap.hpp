#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/weir/explain/observed_run.hpp"

namespace weir::program {

// How near another invocation ran: on one of the same cores; on other cores of the same last-level cache; of another
// cache on the same NUMA node.
enum class nearness { core, cache, node };

// For each invocation of a component, the overlap with another component, by nearness. Values are in the order of the
// component's rows.
struct overlap_with {
  std::uint32_t other = 0;

  // The average number of the other's invocations over its time.
  std::array<std::vector<float>, 3> average;

  // The same as far as it is known when the invocation has just begun: the remaining work of the other's running
  // invocations. It is in units of a typical time and at most one per invocation. It does not depend on this
  // invocation's duration, nor on invocations that begin because it ends.
  std::array<std::vector<float>, 3> begun;
};

// Overlaps of a run's invocations, by a sweep over their starts and ends: O(n log n), plus O(log cores) per component
// for each start and end. An invocation lasts from its start for its seconds. Its lane is a run of consecutive cores,
// as all of weir's are. The cores of a cache or node are also consecutive in hwloc's numbering. If a file has no cores,
// everything counts as on the same core. Invocations with unknown cores overlap with none.
//
// REQUIRES: run and topology outlive it; known cores belong to the topology.
class overlap_sweep {
 public:
  overlap_sweep(const observed_run& run, const topology& cores);

  // The overlaps with every other component, in their order. `typical`: the positive typical seconds of the component's
  // invocations. An invocation has just begun when it has run for a twentieth of that, since neighbours in a stream
  // begin together, in either order. Overlaps of less than a ten-thousandth count as none: they are rounding errors.
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
    std::array<span, 3> of;  // the cores that are that near, or nearer
  };

  reach reach_of(const invocation& row) const;
  std::vector<event> events_of(std::uint32_t component, double typical) const;  // in order
  bool is_placed(const invocation& row) const { return row.first_core >= 0 || !run_.has_core_set; }

  const observed_run& run_;
  int cores_ = 1;
  double began_ = 0;
  std::vector<span> cache_, node_;  // by core
  std::vector<event> events_;       // all begins and ends, in order
};

}  // namespace weir::program
