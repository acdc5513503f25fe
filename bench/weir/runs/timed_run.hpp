#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <weir/engine/trace.hpp>
#include <weir/model/observation.hpp>
#include <weir/options/options.hpp>
#include <weir/options/saved_model.hpp>
#include <weir/report/report.hpp>
#include <weir/run/execution.hpp>
#include <weir/scheduler/view/objective.hpp>
#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/runs/workload.hpp"

namespace weir::program {

// The outcome of one run of a workload. Plain data; times in seconds.
struct timed_run {
  std::string name, text;  // of the policy (planned_policy)
  int round = 1;
  double began = 0;                       // seconds from the start of the command's first run
  double seconds = 0;                     // from the first send to the last result; the checks come afterwards
  std::vector<double> latencies;          // per result: from the call of send, or from when it was due or taken
  std::vector<observation> observations;  // of all components, in the order of learning
  run_report report;                      // without weir there is none: no names, no decisions
  std::map<std::string, saved_model> models;
  std::uint64_t checked = 0, wrong = 0;  // results

  double throughput() const { return static_cast<double>(latencies.size()) / seconds; }
  double mean_latency() const;
  int moves() const;
  double cores_used() const;  // that components owned or shared, on average; NaN without weir
};

// Those who follow a run while it goes on.
struct run_watchers {
  std::optional<tracer> trace{};
  std::function<void(const execution&)> on_start{};  // before the first record is sent
  std::function<void()> on_result{};
};

// Runs the workload once: one thread sends every input, another reads. For throughput, inputs are sent as fast as they
// are taken. For latency, the next one is sent when the result of the last is out. For an objective with a rate they
// are sent at random at that rate, drawn from `seed`, and a latency counts from the moment when the record was due. A
// workload may say itself when they are due.
// Results are checked after the clock has stopped, so that the checks take no core from the measurement, and also in
// between when they hold more than 256 MB. Throws what the run throws, and std::runtime_error if a record is missing,
// came twice or out of order. At another rank than the first it serves until the run is over, and returns an empty run.
// After Ctrl-C no more is sent, and `latencies` is shorter or empty.
timed_run time_in_weir(const workload& work, options how, const objective& goal, std::uint64_t seed,
                       const run_watchers& watchers, const rank_runs& ranks);

// The same work by a function that calls sent(index) as it takes an input, until that is false, and result(record) with
// each result, each from one thread at a time.
using work_without_weir =
    std::function<void(const std::function<bool(std::size_t index)>& sent, const std::function<void(record)>& result)>;
timed_run time_without_weir(const workload& work, const work_without_weir& run_all,
                            const std::function<void()>& on_result);

// Notes of all runs on things that the machine did not allow, and the share of the cores that other processes had in
// each.
std::set<std::string> notes_of(const std::vector<timed_run>& runs);
std::vector<double> foreign_loads_of(const std::vector<timed_run>& runs);

}  // namespace weir::program
