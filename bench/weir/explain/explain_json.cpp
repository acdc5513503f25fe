#include "bench/weir/explain/explain_report.hpp"

#include "bench/weir/common/learnt_json.hpp"

namespace weir::program {
namespace {

using features = std::vector<feature>;

json factors_json(const std::vector<factor>& found, const features& all) {
  json list = json::array();
  for (const factor& f : found)
    list.push_back({{"feature", all[f.feature].name},
                    {"together_with", all[f.feature].together_with},
                    {"change", f.change},
                    {"expected", f.is_expected},
                    {"effect_seconds", number(f.effect_seconds)},
                    {"effect_percent", number(f.effect_percent)},
                    {"strength", number(f.strength)},
                    {"certainty", number(f.certainty)},
                    {"words", f.words}});
  return list;
}

json apart_json(const std::vector<apart>& found, const features& all) {
  json list = json::array();
  for (const apart& a : found) {
    const feature& f = all[a.feature];
    json one{{"feature", f.name}, {"together_with", f.together_with}};
    if (f.is_discrete)
      one["levels"] = a.levels;
    else
      one["range"] = {number(a.low), number(a.high)};
    one["excludes"] = number(a.alone);
    one["excludes_together"] = number(a.together);
    list.push_back(std::move(one));
  }
  return list;
}

json examples_json(const std::vector<example>& found) {
  json list = json::array();
  for (const example& e : found)
    list.push_back({{"position", e.position},
                    {"start", number(e.start)},
                    {"seconds", number(e.seconds)},
                    {"residual", number(e.residual)}});
  return list;
}

json mode_json(const explained_mode& mode, const features& all) {
  return {{"share", number(mode.share)},
          {"invocations", mode.invocations},
          {"typical_seconds", number(mode.typical_seconds)},
          {"range_seconds", {number(mode.low_seconds), number(mode.high_seconds)}},
          {"set_apart", apart_json(mode.set_apart, all)},
          {"factors", factors_json(mode.factors, all)},
          {"representatives", examples_json(mode.representatives)},
          {"outliers", examples_json(mode.outliers)}};
}

json component_json(const explained_component& found) {
  json one{{"name", found.name},
           {"invocations", found.invocations},
           {"typical_seconds", number(found.typical_seconds)},
           {"structure", found.has_structure},
           {"factors", factors_json(found.factors, found.features)},
           {"modes", json::array()}};
  for (const explained_mode& mode : found.modes) one["modes"].push_back(mode_json(mode, found.features));
  one["features"] = json::array();
  for (const feature& f : found.features)
    one["features"].push_back({{"name", f.name}, {"together_with", f.together_with}});
  one["overlaps_left_out"] = found.overlaps_left_out;
  one["tried"] = json::array();
  for (const mixture_candidate& c : found.tried)
    one["tried"].push_back(
        {{"modes", c.modes}, {"time_log_likelihood", number(c.time_log_likelihood)}, {"gain", number(c.gain)}});
  one["notes"] = found.notes;
  return one;
}

}  // namespace

std::string explain_json(const explain_plan& plan, const observed_run& run,
                         const std::vector<explained_component>& found) {
  json all{{"source", run.is_trace ? "trace" : "csv"},
           {"invocations", run.rows.size()},
           {"time", plan.log_time ? "log" : "linear"},
           {"clusters", plan.clusters > 0 ? json(plan.clusters) : json("auto")},
           {"seed", plan.seed},
           {"machine", plan.cores.summary()},
           {"components", json::array()}};
  for (const explained_component& c : found) all["components"].push_back(component_json(c));
  all["notes"] = run.notes();
  return json_text(all);
}

}  // namespace weir::program
