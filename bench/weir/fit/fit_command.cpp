#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>

#include <weir/options/saved_models.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/fit_data.hpp"
#include "bench/weir/fit/fit_options.hpp"
#include "bench/weir/fit/fit_report.hpp"
#include "bench/weir/fit/fitted_component.hpp"

namespace weir::program {
namespace {

void describe(CLI::App& sub, fit_options& typed) {
  sub.add_option("OBS.csv", typed.observations,
                 "Columns component,x,cores,seconds and those that weir matmul --out writes")
      ->required();
  sub.add_option("--estimator", typed.estimator, "By name, or all: each of them, side by side")->capture_default_str();
  sub.add_option(
      "--degree", typed.degree,
      fmt::format("Of Tseq(x): K for all components, or NAME=K,... (default {}, less where the data carry less)",
                  asked_degrees::otherwise));
  sub.add_option("--time", typed.time, "wall (column seconds) or cpu (column cpu_seconds)")->capture_default_str();
  sub.add_flag("--online", typed.online, "Replay the rows in their order: predict each one, then learn it");
  sub.add_option("--test", typed.test, "Further observations, which are only predicted");
  sub.add_option("--save", typed.save, "The models, for weir predict or to be started from (JSON)");
  sub.add_flag("--json", typed.json, "For programs");
}

using components_by_name = std::map<std::string_view, const component_rows*>;

components_by_name by_name(const std::vector<component_rows>& all) {
  components_by_name index;
  for (const component_rows& c : all) index.emplace(c.name, &c);
  return index;
}

struct fit_result {
  std::string text;  // for people; to be printed after the bar is erased
  std::map<std::string, saved_model> models;
};

// Fits every component with every estimator. JSON is printed in pieces, since it has a line for every row.
fit_result fit_all(const fit_plan& plan, const std::vector<component_rows>& seen, const components_by_name& tests) {
  std::size_t rows = 0;
  for (const component_rows& c : seen) rows += c.rows.size();
  progress_bar bar(rows * plan.estimators.size(), !plan.json);
  fit_result result;
  if (plan.json) print_fit_json_begin(plan, print);
  for (const component_rows& component : seen) {
    const auto test = tests.find(component.name);
    std::vector<fitted_component> fitted;
    for (const std::string& kind : plan.estimators) {
      bar.label(printable(component.name) + ", " + kind);
      fitted.push_back(
          fit(component, test == tests.end() ? nullptr : test->second, kind, plan, [&] { bar.advance(); }));
      if (plan.json) print_fit_json(fitted.back(), &component == &seen.front() && fitted.size() == 1, print);
      fitted.back().forecasts = {};  // there are as many as rows
    }
    if (!plan.json) result.text += (result.text.empty() ? "" : "\n") + fit_text(plan, fitted);
    result.models.emplace(component.name, fitted.back().saved);
  }
  if (plan.json) print_fit_json_end(print);
  return result;
}

int run_fit(const fit_options& typed) {
  const fit_plan plan = plan_of(typed);
  const std::vector<component_rows> seen = read_rows(plan.observations, plan.cpu_time, !plan.json);
  std::vector<component_rows> tested;
  if (plan.test) tested = read_rows(*plan.test, plan.cpu_time, !plan.json);
  const components_by_name known = by_name(seen), tests = by_name(tested);

  const auto require_known = [&](const std::string& where, const std::string& name) {
    if (known.count(name)) return;
    std::vector<std::string> names;
    for (const component_rows& c : seen) names.push_back(c.name);
    throw bad_input(fmt::format("{}: {} has no component {}; there are {}", where, plan.observations, excerpt(name),
                                listed(names)));
  };
  for (const auto& [name, degree] : plan.degrees.by_name) require_known("--degree", name);
  for (const component_rows& test : tested) require_known(*plan.test, test.name);

  const fit_result result = fit_all(plan, seen, tests);
  print(result.text);
  if (plan.save) plan.save->write(write_models(result.models));
  return 0;
}

}  // namespace

std::function<int()> add_fit(CLI::App& app) {
  const auto typed = std::make_shared<fit_options>();
  CLI::App* const sub =
      app.add_subcommand("fit", "A CSV of observations becomes a model of each component; how far it is off");
  describe(*sub, *typed);
  return [typed] { return run_fit(*typed); };
}

}  // namespace weir::program
