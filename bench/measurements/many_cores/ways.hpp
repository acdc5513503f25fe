#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weir/machine/machine.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include "bench/measurements/many_cores/programs.hpp"

namespace weir::many_cores {

// The result of one run of a program. Plain data.
struct outcome {
  double records_per_second = 0;
  int moves = 0;
  std::uint64_t sum = 0;  // over all records
};

outcome run_by_weir(const program& what, std::int64_t records, const policy& rule, const machine& on);

// Without weir: a oneTBB pipeline in one arena, in which stages and the loops in them steal from each other.
outcome run_by_stealing(const program& what, std::int64_t records, int cores);

// Seconds of each stage alone, the mean of some records, on this many cores.
std::vector<double> stage_seconds(const program& what, std::int64_t records, int cores);

// Own cores by stage, in as many lanes where `in_lanes`, 0: the shared group. Plain data.
struct division {
  std::vector<int> cores;
  bool in_lanes = true;
};
policy policy_of(const program& what, const division& d);
std::string to_string(const division& d);

// The best of all shared and of a climb from the division by `seconds` of the stages, in lanes or one lane each. A
// climb moves a core at a time while a run of `records` gets faster, until `seconds_allowed` have passed.
struct found_division {
  division best;
  int tried = 0;
};
found_division searched_division(const program& what, std::int64_t records, const machine& on,
                                 const std::vector<double>& seconds, double seconds_allowed);

}  // namespace weir::many_cores
