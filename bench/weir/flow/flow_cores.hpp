#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/predict/mapping_search.hpp>
#include "bench/weir/flow/flow_file.hpp"
#include "scheduler/predict/device_placement.hpp"

namespace weir::program {

// An interval that holds nine in ten. Plain data.
struct interval90 {
  double low = 0, high = 0;
};

// The best that a network does on one number of cores, and how sure that is. Plain data.
struct cores_row {
  int cores = 0;
  std::optional<placed_mapping> placed;  // none: no mapping on these cores meets the goal
  const network_prediction& predicted() const { return placed->found.predicted; }  // REQUIRES: there is a mapping

  interval90 throughput, latency;         // records a second, seconds; points where the file states its costs
  std::vector<std::string> extrapolated;  // components that were never observed on as many cores as a lane has here
  std::vector<std::string> assumed;       // those of them whose gain of further cores is only assumed
};

// The number of cores up to which a further one is worth it. Plain data.
struct core_limit {
  int cores = 0;         // 0: not known; then `why_not` says why
  interval90 between;    // where it lies by draws of the costs
  double next_adds = 0;  // the most that a further core adds beyond, as a part of the first row's value for each core
  bool is_open = false;  // up to the last row: perhaps also beyond
  std::string why_not;
};

// A network over numbers of cores. Plain data.
struct cores_table {
  std::string path, kind;
  std::string learnt_on;  // as flow_file::learnt_on
  std::string objective;  // of the search; empty: there was none
  std::string where;      // without a search: the mapping of all rows, in words
  flow_options at;
  double worth = 0;
  bool is_drawn = false;        // costs were learnt, so there are intervals
  std::vector<cores_row> rows;  // by cores
  core_limit limit;
  std::vector<std::string> notes;
};

// The least gain by a further core that pays, as a part of the value of each core in the first row.
inline constexpr double default_worth = 0.1;

// Finds the best mappings on each of these numbers of cores, in ascending order. More cores are never worse: a mapping
// on fewer stays where the search finds no better one.
//
// Costs that were learnt are drawn 200 times, each component's mean from a log-normal distribution with the deviation
// that its model gives for the cores of a lane. A draw lies at the same quantile on all numbers of cores. The intervals
// are those of the draws on the mappings that are best for the means.
//
// The value is records a second, or 1/latency if that is the objective. A further core is worth it if a larger number
// of the table adds enough for each core beyond. Enough is `worth` of the value of each core in the first row. So a
// step that takes two cores counts as two halves. A limit that rests on a component whose gain is assumed is not named.
//
// Throws std::invalid_argument as best_placements() does. `progress` is called after each row.
cores_table flow_over_cores(const std::string& path, const flow_file& file, const std::vector<int>& cores,
                            const mapping_goal& goal, const std::string& objective, double worth,
                            const std::function<void()>& progress = {});

// A prior alone: the models of one run of a folder, on `where`, or with all components on any of the cores. No limit is
// named, since nothing tells yet which of the runs the next one is like. Throws std::invalid_argument for a mapping
// that does not fit the network or the cores.
cores_table flow_of_run(const std::string& path, const flow_file& file, const std::vector<int>& cores,
                        const flow_options& at, const std::optional<mapping>& where);

// The tables of all runs of a folder, for programs.
std::string runs_json(const std::string& folder, const std::vector<cores_table>& runs);

// The table for people, with bars; and for programs, as README.md describes it.
std::string cores_text(const cores_table& table);
std::string cores_json(const cores_table& table);

}  // namespace weir::program
