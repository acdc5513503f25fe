#include "bench/weir/runs/runs_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/named_estimator.hpp"
#include "bench/weir/common/named_policy.hpp"

namespace weir::program {

options runs_plan::run_options() const {
  options o;
  o.machine = machine;
  o.estimator = estimator;
  return o;
}

std::string runs_plan::machine_words() const {
  const std::string by = is_emulated ? "emulated, nothing is bound" : processor_name();
  return machine.summary() + (by.empty() ? "" : " (" + by + ")");
}

void take_options(runs_plan& plan, const runs_options& typed) {
  require_estimator("--estimator", typed.estimator, 0);
  plan.objective = typed.objective;
  plan.goal = parse_objective(typed.objective);
  plan.estimator = typed.estimator;
  plan.seed = typed.seed;
  plan.json = typed.json;
}

void take_machine(runs_plan& plan, const std::string& typed, const std::string& usual, const measured_work& work) {
  const std::string on = typed.empty() ? usual : typed;
  plan.is_emulated = on != "local";
  if (!work.is_emulated && plan.is_emulated)
    throw bad_input(
        fmt::format("--machine {}: {} runs on real cores; only what is emulated runs on a synthetic machine",
                    excerpt(on), work.name));
  plan.machine = parse_machine(on);
  if (work.is_emulated && plan.machine.size() < static_cast<int>(work.components))
    throw bad_input(fmt::format("--machine {}: {} has {} components and needs as many cores; there are {}", excerpt(on),
                                work.name, work.components, plan.machine.size()));
}

void add_run(runs_plan& plan, const std::string& row, const std::string& text, const std::string& typed,
             const std::vector<std::string>& components, int max_width) {
  named_policy parsed = parse_policy(text, parse_objective(plan.objective), typed);
  require_fits(parsed, components, plan.machine.size(), max_width);
  plan.runs.push_back({row, text, std::move(parsed.rule)});
}

void open_files(runs_plan& plan, const runs_files& typed) {
  if (typed.out) plan.out.emplace("--out", *typed.out);
  if (typed.report) plan.report.emplace(*typed.report);
  if (typed.trace) plan.trace.emplace(*typed.trace);
}

std::string label_of(const std::string& text, int round, int rounds) {
  return rounds > 1 ? fmt::format("{}, round {} of {}", text, round, rounds) : text;
}

std::vector<timed_run> run_in_turn(runs_plan& plan, std::size_t records, bool shows_progress, const time_one& time) {
  using clock = std::chrono::steady_clock;
  const auto first = clock::now();
  progress_bar progress(records * static_cast<std::size_t>(plan.total_runs()), shows_progress);
  std::vector<timed_run> runs;
  for (int round = 1; round <= plan.rounds; ++round)
    for (const planned_policy& chosen : plan.runs) {
      if (interruption::asked()) return runs;
      const std::string label = label_of(chosen.text, round, plan.rounds);
      progress.label(label);
      run_watchers watchers;
      if (plan.trace && chosen.rule) watchers.trace = plan.trace->of_run(chosen.name);
      watchers.on_result = [&] { progress.advance(); };
      const double began = std::chrono::duration<double>(clock::now() - first).count();
      timed_run run = time(chosen, label, std::move(watchers));
      run.name = chosen.name;
      run.text = chosen.text;
      run.round = round;
      run.began = began;
      runs.push_back(std::move(run));
    }
  return runs;
}

void keep_complete_rounds(runs_plan& plan, std::vector<timed_run>& runs, std::size_t records) {
  const bool cut_short = !runs.empty() && runs.back().latencies.size() < records;
  if (static_cast<int>(runs.size()) == plan.total_runs() && !cut_short) return;
  plan.interrupted = true;
  if (runs.size() > 1 && cut_short) runs.pop_back();
  if (runs.empty() || runs.back().latencies.empty())
    throw interrupted_early("interrupted before the first result: nothing to report");
  const std::size_t whole = runs.size() / plan.runs.size();
  if (whole > 0) runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(whole * plan.runs.size()), runs.end());
  plan.rounds = static_cast<int>(std::max<std::size_t>(whole, 1));
  const auto did_not_run = [&](const std::string& name) {
    return std::none_of(runs.begin(), runs.end(), [&](const timed_run& r) { return r.name == name; });
  };
  std::erase_if(plan.rows, did_not_run);
  if (did_not_run(plan.baseline)) plan.baseline = plan.rows.front();
}

void write_trace(const runs_plan& plan) {
  if (!plan.trace) return;
  const std::string left_out = plan.trace->write();
  if (!plan.json) print(left_out);
}

int exit_code_of(const runs_plan& plan, const std::vector<timed_run>& runs) {
  const bool wrong = std::any_of(runs.begin(), runs.end(), [](const timed_run& r) { return r.wrong > 0; });
  return wrong ? 1 : plan.interrupted ? interruption::exit_code() : 0;
}

}  // namespace weir::program
