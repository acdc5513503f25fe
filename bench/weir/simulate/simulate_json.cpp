#include "bench/weir/simulate/simulate_report.hpp"

#include "bench/weir/common/learnt_json.hpp"

namespace weir::program {
namespace {

json decisions_json(const simulated_row& row, const simulation::scenario& network) {
  std::vector<std::string> names;
  for (const simulation::simulated_component& c : network.components) names.push_back(c.name);
  json all = json::array();
  for (const decision& d : row.result.decisions) {
    const bool is_first = d.from.components.empty();
    all.push_back({{"time_seconds", number(d.time)},
                   {"moved", moved_text(d, names)},
                   {"why", d.why},
                   {"promised_gain", is_first ? json(nullptr) : number(d.predicted_gain)},
                   {"realised_gain", d.realised_gain ? number(*d.realised_gain) : json(nullptr)},
                   {"gain_words", {{"promised", predicted_words(d)}, {"realised", realised_words(d)}}},
                   {"taken_back", d.reverted}});
  }
  return all;
}

json row_json(const simulated_row& row, const simulation::scenario& network) {
  const simulation::simulated_result& r = row.result;
  json one{{"name", row.policy},
           {"seed", row.seed},
           {"throughput_per_second", number(r.throughput)},
           {"latency_seconds",
            {{"mean", number(r.latency_mean)}, {"p50", number(r.latency_p50)}, {"p99", number(r.latency_p99)}}},
           {"over_clairvoyant", number(row.over_clairvoyant)},
           {"over_best_fixed", number(row.over_best_fixed)},
           {"cores_used", number(r.cores_used)},
           {"moves", r.moves},
           {"records", r.records},
           {"seconds", number(r.seconds)}};
  one["components"] = json::array();
  for (std::size_t i = 0; i < network.components.size(); ++i)
    one["components"].push_back({{"name", network.components[i].name},
                                 {"utilisation", number(r.utilisation[i])},
                                 {"waiting_seconds", number(r.waited[i])}});
  one["devices"] = json::array();
  for (const simulation::device_use& d : r.devices)
    one["devices"].push_back({{"component", network.components[d.component].name},
                              {"device", network.devices[d.device].name},
                              {"slots", network.devices[d.device].slots},
                              {"peak", d.seen.peak},
                              {"invocations", d.seen.invocations},
                              {"errors", d.seen.errors},
                              {"explored", d.seen.explored},
                              {"records", d.seen.records},
                              {"size_on_cores", d.seen.size_on_cores},
                              {"size_on_device", d.seen.size_on_device},
                              {"part", number(d.part())},
                              {"utilisation", number(d.utilisation)},
                              {"mean_seconds", number(d.seen.mean_seconds)},
                              {"crossing", number(d.seen.crossing)}});
  one["resources"] = json::array();
  for (std::size_t k = 0; k < r.resource_peaks.size(); ++k)
    one["resources"].push_back({{"name", network.resources[k].name},
                                {"total", number(network.resources[k].total)},
                                {"peak", number(r.resource_peaks[k])}});
  return one;
}

}  // namespace

std::string simulate_json(const simulate_plan& plan, const std::vector<simulated_row>& rows) {
  const simulation::scenario network = plan.file.at(plan.seeds.front());
  json all{{"scenario", plan.file.name},      {"cores", network.cores},     {"objective", plan.objective},
           {"estimator", plan.own.estimator}, {"records", network.records}, {"move_cost_seconds", network.move_cost},
           {"width", json::array()},          {"seeds", plan.seeds},        {"interrupted", plan.interrupted},
           {"policies", json::array()},       {"summary", json::array()}};
  for (const simulation::simulated_component& c : network.components)
    all["width"].push_back(c.max_width == unlimited ? json(nullptr) : json(c.max_width));
  std::uint64_t seed = plan.seeds.front();
  simulation::scenario of_seed = network;
  for (const simulated_row& row : rows) {
    if (row.seed != seed) of_seed = plan.file.at(seed = row.seed);
    all["policies"].push_back(row_json(row, of_seed));
    if (plan.decisions) all["policies"].back()["decisions"] = decisions_json(row, of_seed);
  }
  for (const simulated_summary& s : summaries_of(plan, rows))
    all["summary"].push_back(
        {{"name", s.policy},
         {"over_clairvoyant",
          {{"geometric_mean", number(s.over_clairvoyant)}, {"min", number(s.least_over_clairvoyant)}}},
         {"over_best_fixed", {{"geometric_mean", number(s.over_best_fixed)}, {"min", number(s.least_over_best_fixed)}}},
         {"throughput_per_second", number(s.throughput)},
         {"latency_seconds", {{"mean", number(s.latency_mean)}, {"p99", number(s.latency_p99)}}},
         {"cores_used", number(s.cores_used)},
         {"moves", number(s.moves)}});
  return json_text(all);
}

}  // namespace weir::program
