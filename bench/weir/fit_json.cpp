#include "bench/weir/fit_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "bench/weir/learnt_json.hpp"

namespace weir::command {
namespace {

json errors(const error_summary& e) {
  return {{"median", number(e.median)}, {"p95", number(e.p95)}, {"max", number(e.max)}};
}

// "{}" prints the shortest text that reads back as the same double.
std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string predictions(const fitted_component& fitted) {
  std::string text = "[";
  for (std::size_t i = 0; i < fitted.forecasts.size(); ++i) {
    const timed_row& row = (*fitted.shown)[i];
    const forecast& f = fitted.forecasts[i];
    fmt::format_to(std::back_inserter(text),
                   R"({}    {{"x": {}, "cores": {}, "seconds": {}, "predicted": {}, "sd": {}}})", i ? ",\n" : "\n",
                   row.x, row.cores, row.seconds, number_text(f.mean), number_text(f.spread));
  }
  return text + (fitted.forecasts.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string fit_json_begin(const fit_plan& plan) {
  return fmt::format("{{\n\"time\": \"{}\",\n\"online\": {},\n\"components\": [", plan.cpu_time ? "cpu" : "wall",
                     plan.online);
}

std::string fit_json(const fitted_component& fitted, bool is_first) {
  json all{{"name", fitted.name}, {"estimator", fitted.estimator}, {"degree", fitted.degree}};
  all.update(learnt_json(fitted.learnt));
  all["confidence"] = number(fitted.confidence);
  all["skipped"] = fitted.skipped;
  all["notes"] = fitted.notes;
  all["error_percent"] = errors(fitted.online.value_or(fitted.training));
  all["fit_error_percent"] = errors(fitted.training);
  all["test_error_percent"] = fitted.test ? errors(*fitted.test) : json(nullptr);
  std::string text = all.dump(2);
  text.resize(text.size() - 2);  // the end of a line and the brace
  return (is_first ? "\n" : ",\n") + text + ",\n  \"predictions\": " + predictions(fitted) + "\n}";
}

std::string fit_json_end() { return "\n]\n}\n"; }

}  // namespace weir::command
