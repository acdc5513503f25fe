#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weir/machine/machine.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/objective.hpp>
#include "bench/support/host.hpp"
#include "bench/support/output_file.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/common/trace_file.hpp"
#include "bench/weir/runs/timed_run.hpp"

namespace weir::program {

// One way to run a workload: a policy, or none, without weir.
struct planned_policy {
  std::string name;  // its row: "equal", "adaptive", "best-fixed", ..
  std::string text;  // for parse_policy; a row may have several, the best is shown
  std::optional<policy> rule{};
};

// The files of a command line, by option. Empty: not given.
struct runs_files {
  std::optional<std::string> out{}, report{}, trace{};
};

// The options that each command of runs has, as typed. Empty: not given.
struct runs_options {
  std::string objective = "throughput";
  std::string machine{};
  std::string estimator = "weir";
  std::uint64_t seed = 1;
  runs_files files{};
  bool json = false;
};

// The runs that a command makes of a workload, and where they are reported. Plain data.
struct runs_plan {
  std::vector<planned_policy> runs{};                  // of each round, in order
  std::vector<std::string> rows{};                     // names of the policies, in order
  std::string baseline{};                              // the row that ratios refer to
  std::string objective{};                             // of adaptive policies, as typed
  weir::objective goal = weir::objective::throughput;  // how records are sent and runs are valued
  int rounds = 1;
  weir::machine machine = weir::machine::local();
  bool is_emulated = false;  // the machine: nothing is bound to its cores
  std::string estimator{};
  std::uint64_t seed = 1;
  std::optional<output_file> out{};
  std::optional<report_file> report{};
  std::optional<trace_file> trace{};
  bool json = false;
  bool interrupted = false;  // it was cut short, and the report covers only a part

  options run_options() const;  // machine and estimator
  int total_runs() const { return rounds * static_cast<int>(runs.size()); }
  std::string processor() const { return is_emulated ? "" : processor_name(); }
  std::string machine_words() const;  // its summary and its processor
};

// Fills in the typed options but machine and files. Throws bad_input for an unknown estimator or objective.
void take_options(runs_plan& plan, const runs_options& typed);

// The measured work, for messages: "workload emulated", its components, and whether these are emulated.
struct measured_work {
  std::string name;
  std::size_t components = 0;
  bool is_emulated = false;
};

// Sets the typed machine, or the usual one. Throws bad_input for a synthetic one under work on real cores, and
// for one of fewer cores than emulated components.
void take_machine(runs_plan& plan, const std::string& typed, const std::string& usual, const measured_work& work);

// Adds a run of each round, under a policy as for parse_policy. Throws bad_input that begins with `typed` for one that
// these components on the plan's machine do not allow.
void add_run(runs_plan& plan, const std::string& row, const std::string& text, const std::string& typed,
             const std::vector<std::string>& components, int max_width);

// Opens them. Throws bad_input for one that cannot be written.
void open_files(runs_plan& plan, const runs_files& typed);

// "adaptive", or "adaptive, round 2 of 3".
std::string label_of(const std::string& text, int round, int rounds);

// Times each policy once in each round, in turn, so that a temporary disturbance affects all of them. After Ctrl-C it
// returns the runs so far. `records`: of a run.
using time_one =
    std::function<timed_run(const planned_policy& chosen, const std::string& label, run_watchers watchers)>;
std::vector<timed_run> run_in_turn(runs_plan& plan, std::size_t records, bool shows_progress, const time_one& time);

// After Ctrl-C: keeps the complete rounds. If there is none, it keeps the complete runs of the first round, or else the
// results so far of the first run. Throws interrupted_early if there is no result.
void keep_complete_rounds(runs_plan& plan, std::vector<timed_run>& runs, std::size_t records);

// Writes the trace and names on standard output the events that it leaves out.
void write_trace(const runs_plan& plan);

// The exit code of the command: 1 where a result is wrong.
int exit_code_of(const runs_plan& plan, const std::vector<timed_run>& runs);

}  // namespace weir::program
