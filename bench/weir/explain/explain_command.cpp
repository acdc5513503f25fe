#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/explain/explain_component.hpp"
#include "bench/weir/explain/explain_options.hpp"
#include "bench/weir/explain/explain_report.hpp"
#include "bench/weir/explain/explain_rows.hpp"

namespace weir::program {
namespace {

void describe(CLI::App& sub, explain_options& typed) {
  sub.add_option("TRACE_OR_CSV", typed.observations,
                 "What weir matmul --out writes, or a trace that a run's tracer wrote")
      ->required();
  sub.add_option("--component", typed.component, "This one only; the others still count as what it overlaps with");
  sub.add_option("--clusters", typed.clusters,
                 fmt::format("Modes of each component, 1 to {}, or auto: as many as the data are worth",
                             explain_plan::most_clusters))
      ->capture_default_str();
  sub.add_flag("--log", typed.log, "Laws of the logarithm of the time: effects in percent (the default)");
  sub.add_flag("--linear", typed.linear, "Laws of the time itself: effects in seconds");
  sub.add_option("--machine", typed.machine,
                 "Whose cores the file names: local, or a synthetic topology such as \"package:4 core:12 pu:1\"")
      ->capture_default_str();
  sub.add_option("--seed", typed.seed, "Of samples and starts")->transform(whole_range())->capture_default_str();
  sub.add_flag("--json", typed.json, "For programs");
}

std::vector<std::uint32_t> chosen_components(const explain_plan& plan, const observed_run& run) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t c = 0; c < run.components.size(); ++c)
    if (!plan.component || *plan.component == run.components[c]) chosen.push_back(c);
  if (chosen.empty())
    throw bad_input(fmt::format("--component: {} has no component {}; there are {}", plan.observations,
                                excerpt(*plan.component), listed(run.components)));
  return chosen;
}

int run_explain(const explain_options& typed) {
  const explain_plan plan = plan_of(typed);
  const observed_run run = read_run(plan.observations, plan.cores, !plan.json);
  const std::vector<std::uint32_t> chosen = chosen_components(plan, run);
  std::vector<explained_component> found;
  {
    progress_bar bar(chosen.size(), !plan.json);
    const overlap_sweep sweep(run, plan.cores);
    for (const std::uint32_t component : chosen) {
      bar.label("explaining " + printable(run.components[component]));
      found.push_back(explained(run, component, sweep, plan));
      bar.advance();
    }
  }
  std::string text;
  if (plan.json) {
    text = explain_json(plan, run, found);
  } else {
    for (const explained_component& c : found) text += (text.empty() ? "" : "\n") + explain_text(c, run);
    for (const std::string& note : run.notes()) text += "\n" + note + "\n";
  }
  print(text);
  return 0;
}

}  // namespace

std::function<int()> add_explain(CLI::App& app) {
  const auto typed = std::make_shared<explain_options>();
  CLI::App* const sub = app.add_subcommand("explain", "What a run's times go with: modes and causes, in words");
  describe(*sub, *typed);
  return [typed] { return run_explain(*typed); };
}

}  // namespace weir::program
