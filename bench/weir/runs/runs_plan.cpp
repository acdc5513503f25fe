#include "bench/weir/runs/runs_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/support/interruption.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/standard_output.hpp"

namespace weir::program {

options runs_plan::run_options() const {
  options o;
  o.machine = machine;
  o.estimator = estimator;
  return o;
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
