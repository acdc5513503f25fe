#include "bench/weir/fit/fit_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "bench/weir/common/learnt_json.hpp"

namespace weir::program {
namespace {

json errors(const error_summary& e) {
  return {{"median", number(e.median)}, {"p95", number(e.p95)}, {"max", number(e.max)}};
}

// "{}" prints the shortest text that reads back as the same double.
std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

void print_predictions(const fitted_component& fitted, const printer& print) {
  constexpr std::size_t at_once = 65536;
  std::string text = "[";
  for (std::size_t i = 0; i < fitted.forecasts.size(); ++i) {
    const timed_row& row = (*fitted.shown)[i];
    const forecast& f = fitted.forecasts[i];
    fmt::format_to(std::back_inserter(text),
                   R"({}    {{"x": {}, "cores": {}, "seconds": {}, "predicted": {}, "sd": {}}})", i ? ",\n" : "\n",
                   row.x, row.cores, row.seconds, number_text(f.mean), number_text(f.spread));
    if (text.size() < at_once) continue;
    print(text);
    text.clear();
  }
  print(text + (fitted.forecasts.empty() ? "]" : "\n  ]"));
}

}  // namespace

void print_fit_json_begin(const fit_plan& plan, const printer& print) {
  print(fmt::format("{{\n\"time\": \"{}\",\n\"online\": {},\n\"components\": [", plan.cpu_time ? "cpu" : "wall",
                    plan.online));
}

void print_fit_json(const fitted_component& fitted, bool is_first, const printer& print) {
  json all{{"name", fitted.name}, {"estimator", fitted.estimator}, {"degree", fitted.degree}};
  all.update(learnt_json(fitted.learnt));
  all["confidence"] = number(fitted.confidence);
  all["skipped"] = fitted.skipped;
  all["notes"] = fitted.notes;
  all["error_percent"] = errors(fitted.online.value_or(fitted.training));
  all["fit_error_percent"] = errors(fitted.training);
  all["test_error_percent"] = fitted.test ? errors(*fitted.test) : json(nullptr);
  std::string text = json_text(all);
  text.resize(text.size() - 3);  // two line ends and the brace
  print((is_first ? "\n" : ",\n") + text + ",\n  \"predictions\": ");
  print_predictions(fitted, print);
  print("\n}");
}

void print_fit_json_end(const printer& print) { print("\n]\n}\n"); }

}  // namespace weir::program
