#include "bench/weir/flow/flow_models.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include <weir/options/saved_models.hpp>
#include <weir/options/saved_runs.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/common/predicted_table.hpp"
#include "scheduler/predict/view_network.hpp"

namespace weir::program {
namespace {

// Saved models do not say how often each x occurred, so all x in the observed range are taken as equally likely.
std::vector<typical_input> inputs_of(const description& learnt) {
  constexpr int parts = 8;
  if (!(learnt.largest_x > learnt.smallest_x)) return {{learnt.largest_x, 1}};
  std::vector<typical_input> inputs;
  for (int i = 0; i < parts; ++i)
    inputs.push_back({std::lerp(learnt.smallest_x, learnt.largest_x, (i + 0.5) / parts), 1.0 / parts});
  return inputs;
}

cost_basis learnt_basis(const component_view& component, std::function<double(int)> seconds) {
  const description learnt = component.model->describe();
  cost_basis basis{learnt.words, learnt.alpha_known, {}};
  basis.on = [model = component.model, inputs = component.inputs, seconds = std::move(seconds)](int cores) {
    double square = 0, of_mean = 0;
    bool extrapolates = false;
    for (const typical_input& one : inputs) {
      const prediction p = model->predict(one.x, cores);
      square += one.weight * p.spread * p.spread;
      of_mean += one.weight * (std::isnan(p.uncertainty) ? p.spread : p.uncertainty);
      extrapolates = extrapolates || p.extrapolates;
    }
    const double mean = seconds(cores), sd = std::sqrt(square);
    const auto [low, high] = ninety_percent_within(mean, sd);
    return cost_spread{mean, sd, low, high, extrapolates, of_mean};
  };
  return basis;
}

}  // namespace

flow_file flow_of_models(const std::string& path, const std::map<std::string, saved_model>& models) {
  flow_file file;
  file.kind = "saved models";
  std::set<std::string> machines;
  for (const auto& [name, saved] : models) {
    if (!saved.machine.empty() && machines.insert(saved.machine).second)
      file.learnt_on += (file.learnt_on.empty() ? "" : "; ") + saved.machine;
    component_view view;
    view.name = name;
    view.model = estimator_of(saved)->clone();  // fitted once, for many predictions
    if (const description learnt = view.model->describe(); learnt.observations > 0) view.inputs = inputs_of(learnt);
    network_model::component made = modelled(view);
    file.bases.push_back(learnt_basis(view, made.seconds));
    file.network.components.push_back(std::move(made));
  }
  if (file.network.components.empty()) throw bad_input(fmt::format("{}: there is no model in it", path));
  file.network.assumed.emplace_back("a chain in the order of the file: models tell no links");
  file.network.assumed.emplace_back(
      "inputs are equally likely from the least to the largest that each model has seen: models tell no numbers");
  return file;
}

std::vector<flow_run> read_flow_runs(const std::string& folder) {
  std::vector<flow_run> runs;
  try {
    for (const saved_run& run : read_runs(folder)) {
      const std::string path = folder + '/' + run.name;
      try {
        runs.push_back({run.name, flow_of_models(path, run.models)});
        runs.back().file.network.validate();
      } catch (const std::invalid_argument& e) {
        throw bad_input(fmt::format("{}: {}", path, e.what()));
      }
    }
  } catch (const std::invalid_argument& e) {
    throw bad_input(e.what());
  }
  return runs;
}

}  // namespace weir::program
