#include "bench/weir/predict/predict_report.hpp"

#include "bench/weir/common/learnt_json.hpp"

namespace weir::program {
namespace {

json table_json(const std::vector<table_row>& table) {
  json rows = json::array();
  for (const table_row& r : table)
    rows.push_back({{"x", r.x},
                    {"cores", r.cores},
                    {"seconds", number(r.seconds)},
                    {"sd", number(r.sd)},
                    {"p99", number(r.p99)},
                    {"interval90", {number(r.low), number(r.high)}},
                    {"speedup", number(r.speedup)},
                    {"extrapolates", r.extrapolates}});
  return rows;
}

json best_json(const std::vector<table_row>& best) {
  json rows = json::array();
  for (const table_row& r : best)
    rows.push_back({{"x", r.x},
                    {"cores", r.cores == 0 ? json(nullptr) : json(r.cores)},
                    {"seconds", number(r.seconds)},
                    {"extrapolates", r.extrapolates}});
  return rows;
}

}  // namespace

std::string predict_json(const std::vector<predicted_component>& components) {
  json all = json::array();
  for (const predicted_component& c : components) {
    json one{{"name", c.name}, {"estimator", c.estimator}, {"degree", c.degree}};
    if (!c.run.empty()) one["run"] = c.run;
    one["machine"] = c.machine.empty() ? json(nullptr) : json(c.machine);
    one.update(learnt_json(c.learnt));
    one["table"] = table_json(c.table);
    one["best"] = best_json(c.best);
    all.push_back(std::move(one));
  }
  return json_text({{"components", all}});
}

}  // namespace weir::program
