#include "bench/weir/view/observed_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include <weir/report/report_page.hpp>
#include "bench/support/readable.hpp"
#include "bench/weir/common/fit_data.hpp"
#include "runtime/report/cost_curves.hpp"

namespace weir::program {
namespace {

using json = nlohmann::ordered_json;

constexpr int usual_degree = 3;
constexpr std::size_t most_points = 1000;

json component_page(const component_rows& of, const std::string& estimator) {
  const int k = std::clamp(different_x(of.rows, usual_degree + 1) - 1, 0, usual_degree);
  const auto model = make_estimator(estimator, degree{k});
  std::vector<invocation_sample> points;
  const std::size_t stride = (of.rows.size() + most_points - 1) / most_points;
  int cores = 1;
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const timed_row& row = of.rows[i];
    model->observe({.x = row.x, .cores = row.cores, .seconds = row.seconds});
    cores = std::max(cores, row.cores);
    if (i % stride == 0) points.push_back({row.x, row.cores, row.seconds});
  }
  return {
      {"name", of.name}, {"model", model->describe().words}, {"curves", curves_json(curves_of(*model, points, cores))}};
}

}  // namespace

page_data page_of_csv(const std::string& path, const std::string& estimator, bool progress) {
  const std::vector<component_rows> seen = read_rows(path, false, progress);
  const std::string title = std::filesystem::path(path).filename().string();
  json data = json::parse(runs_data(title, {}));
  data["kind"] = "observations";
  data["components"] = json::array();
  for (const component_rows& of : seen) data["components"].push_back(component_page(of, estimator));
  return {title, data.dump(-1, ' ', false, json::error_handler_t::replace), counted(seen.size(), "component")};
}

}  // namespace weir::program
