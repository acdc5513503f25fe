#include "bench/weir/simulate/simulate_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/common/placement_words.hpp"
#include "scheduler/simulate/hindsight.hpp"

namespace weir::program {
namespace {

using simulation::placed_scenario;
using simulation::scenario;

placed_scenario on(const simulate_plan& plan, int count) {
  scenario_file file = plan.file;
  cluster& machines = *file.machines;
  if (count != machines.machines()) {
    machines.cores.assign(static_cast<std::size_t>(count), machines.cores.front());
    std::erase_if(machines.pairs, [&](const cluster::pair& p) { return p.a >= count || p.b >= count; });
  }
  return file.on_machines();
}

// Models by name, also of components that are on every machine.
own_settings own_on(const own_settings& given, const scenario& spread) {
  own_settings own = given;
  for (const auto& [name, model] : given.models)
    for (const simulation::simulated_component& c : spread.components)
      if (c.name.starts_with(name + "@")) own.models.emplace(c.name, model);
  return own;
}

}  // namespace

std::vector<machines_row> simulate_machines(const simulate_plan& plan,
                                            const std::function<void(const std::string&)>& about_to,
                                            const std::function<void()>& done) {
  std::vector<machines_row> rows;
  const simulation::hindsight none;
  try {
    for (int count : plan.machines) {
      const placed_scenario placed = on(plan, count);
      placed.validate();
      const placed_network model = simulation::model_of(placed);
      const cluster_prediction predicted = predict_on_machines(model);
      const placement_advice advice = advise_placement(model);
      const scenario spread = simulation::spread_over_machines(placed);
      const own_settings own = own_on(plan.own, spread);
      for (std::uint64_t seed : plan.seeds)
        for (const std::string& policy : plan.policies) {
          if (interruption::asked()) return rows;
          about_to(fmt::format("{}, {}, seed {}", counted(static_cast<std::uint64_t>(count), "machine"), policy, seed));
          machines_row row{count,
                           spread.cores,
                           policy,
                           seed,
                           run_policy(policy, own, spread, seed, none, 0),
                           predicted.predicted.throughput,
                           predicted.predicted.bottleneck,
                           advice};
          rows.push_back(std::move(row));
          done();
        }
    }
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", plan.path, e.what()));
  }
  return rows;
}

std::string machines_text(const simulate_plan& plan, const std::vector<machines_row>& rows) {
  const scenario network = plan.file.at(plan.seeds.front());
  std::string text = fmt::format("{}: {} on machines, {}, {} a move\n", printable(plan.file.name),
                                 counted(network.components.size(), "component"), counted(network.records, "record"),
                                 duration(network.move_cost));
  text += fmt::format("  {:>8}  {:>6}  {:<18}  {:>6}  {:>10}  {:>10}  {:>9}  {:>9}  {:>9}  {:>6}\n", "machines",
                      "cores", "policy", "seed", "records/s", "predicted", "of it", "latency", "99 % in", "moves");
  for (const machines_row& row : rows)
    text += fmt::format("  {:>8}  {:>6}  {:<18}  {:>6}  {:>10.4g}  {:>10.4g}  {:>9.3f}  {:>9}  {:>9}  {:>6}\n",
                        row.machines, row.cores, row.policy, row.seed, row.result.throughput, row.predicted,
                        row.result.throughput / row.predicted, duration(row.result.latency_mean),
                        duration(row.result.latency_p99), row.result.moves);
  const network_model names = simulation::model_of(plan.file.on_machines()).network;
  std::set<int> said;
  for (const machines_row& row : rows) {
    if (!said.insert(row.machines).second) continue;
    text += fmt::format("{}: bottleneck predicted: {}\n", counted(static_cast<std::uint64_t>(row.machines), "machine"),
                        printable(row.bottleneck));
    if (!row.advice.steps.empty()) text += advice_text(row.advice, names);
  }
  if (plan.interrupted) text += "interrupted: this is what was done until then\n";
  return text;
}

std::string machines_json(const simulate_plan& plan, const std::vector<machines_row>& rows) {
  const scenario network = plan.file.at(plan.seeds.front());
  json all{{"scenario", plan.file.name},
           {"objective", plan.objective},
           {"estimator", plan.own.estimator},
           {"records", network.records},
           {"move_cost_seconds", network.move_cost},
           {"machines", plan.machines},
           {"seeds", plan.seeds},
           {"interrupted", plan.interrupted},
           {"runs", json::array()}};
  const network_model names = simulation::model_of(plan.file.on_machines()).network;
  for (const machines_row& row : rows) {
    const simulation::simulated_result& r = row.result;
    all["runs"].push_back(
        {{"machines", row.machines},
         {"cores", row.cores},
         {"policy", row.policy},
         {"seed", row.seed},
         {"throughput_per_second", number(r.throughput)},
         {"predicted_per_second", number(row.predicted)},
         {"predicted_bottleneck", row.bottleneck},
         {"latency_seconds",
          {{"mean", number(r.latency_mean)}, {"p50", number(r.latency_p50)}, {"p99", number(r.latency_p99)}}},
         {"moves", r.moves},
         {"cores_used", number(r.cores_used)},
         {"suggestion", advice_json(row.advice, names)}});
  }
  return json_text(all);
}

}  // namespace weir::program
