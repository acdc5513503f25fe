#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/flow/flow_report.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::program {
namespace {

json place_json(const found_mapping& found, const network_model& network) {
  json places = json::array();
  for (std::size_t i = 0; i < network.components.size(); ++i) {
    const mapping::entry& e = found.where.components[i];
    json one{{"name", network.components[i].name}, {"cores", json::array()}, {"width", e.width}, {"any", e.roams}};
    for (int core : e.cores) one["cores"].push_back(core);
    if (const int device = network.components[i].device; device >= 0)
      one["device"] = network.devices[static_cast<std::size_t>(device)].name;
    places.push_back(std::move(one));
  }
  return places;
}

json cost_json(const cost_basis& basis, int cores) {
  const cost_spread one = basis.on(cores);
  return {{"cores", cores},
          {"seconds", number(one.seconds)},
          {"sd", number(one.sd)},
          {"interval90", {number(one.low), number(one.high)}},
          {"extrapolates", one.extrapolates},
          {"alpha_known", basis.alpha_known},
          {"words", basis.words}};
}

json prediction_json(const placed_mapping& one_found, const flow_result& result) {
  const found_mapping& found = one_found.found;
  const flow_file& file = result.file;
  const network_prediction& p = found.predicted;
  const network_model network = result.network_of(one_found);
  const auto name = [&](int i, const char* outer) { return end_name(p, i, outer); };
  json one{{"mapping", place_json(found, network)},
           {"feasible", p.feasible},
           {"why_not", p.why_not},
           {"throughput_per_second", number(p.throughput)},
           {"throughput_work_conserving", number(p.throughput_shared)},
           {"throughput_mu_n", number(p.throughput_mu_n)},
           {"rate", number(p.rate)},
           {"latency_seconds", number(p.latency)},
           {"bottleneck", p.bottleneck},
           {"components", json::array()},
           {"streams", json::array()},
           {"cores", json::array()}};
  for (std::size_t i = 0; i < p.components.size(); ++i) {
    const network_prediction::component& c = p.components[i];
    one["components"].push_back({{"name", c.name},
                                 {"visits", number(c.visits)},
                                 {"gain", number(c.gain)},
                                 {"rate", number(c.rate)},
                                 {"service_rate", number(c.service_rate)},
                                 {"utilisation", number(c.utilisation)},
                                 {"load", number(c.load)},
                                 {"sojourn_seconds", number(c.sojourn)}});
    one["components"].back()["cost"] =
        i < file.bases.size() ? cost_json(file.bases[i], found.where.components[i].invocation_cores()) : json(nullptr);
  }
  for (const network_prediction::stream& s : p.streams)
    one["streams"].push_back({{"from", name(s.from, "input")},
                              {"to", name(s.to, "output")},
                              {"rate", number(s.records)},
                              {"held", number(s.held)},
                              {"places", s.places == 0 ? json(nullptr) : json(s.places)}});
  for (const double busy : p.cores) one["cores"].push_back(number(busy));
  return one;
}

}  // namespace

std::string end_name(const network_prediction& of, int component, const char* outer) {
  const auto& all = of.components;
  return component < 0 ? outer_end(outer, all, &network_prediction::component::name)
                       : all[static_cast<std::size_t>(component)].name;
}

std::string flow_json(const flow_result& result) {
  json all{{"file", result.path},
           {"kind", result.file.kind},
           {"cores", result.cores},
           {"sharing", result.at.rule == sharing::work_conserving ? "work-conserving" : "mu/n"},
           {"blocking", result.at.blocking},
           {"mapping_from", result.where_from},
           {"objective", result.objective.empty() ? json(nullptr) : json(result.objective)},
           {"complete", result.complete},
           {"considered", result.considered},
           {"notes", result.found.front().found.predicted.notes},
           {"predictions", json::array()}};
  for (const placed_mapping& found : result.found) all["predictions"].push_back(prediction_json(found, result));
  return json_text(all);
}

}  // namespace weir::program
