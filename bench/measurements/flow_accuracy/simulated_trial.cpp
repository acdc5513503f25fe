#include "bench/measurements/flow_accuracy/simulated_trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <weir/scheduler/predict/predict_flow.hpp>
#include "scheduler/simulate/simulated_network.hpp"

namespace weir::flow_accuracy {
namespace {

using simulation::simulated_network;

simulation::scenario scenario_of(const network_model& model, int cores, std::uint64_t records) {
  simulation::scenario result;
  result.cores = cores;
  result.records = records;
  std::vector<double> leaves(model.components.size(), 0);
  for (link l : model.all_links()) {
    // The counts of a run that was cut off differ by the records in flight.
    if (const double whole = std::round(l.records); std::abs(l.records - whole) < 0.05) l.records = whole;
    if (l.records == 0) continue;
    if (l.from >= 0) leaves[static_cast<std::size_t>(l.from)] += l.records;
    result.links.push_back(l);
  }
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const network_model::component& c = model.components[i];
    simulation::simulated_component s;
    s.name = c.name;
    s.sequential = true;
    s.max_width = c.max_width;
    s.joins = c.joins;
    const double mean = c.seconds(1);
    if (c.variation == 1) {
      s.cost = [mean](double x, int) { return mean * x; };
      s.phases = {{{simulation::input_range::shape::exponential, 1, 1, {}}, 1}};
    } else {
      s.cost = [mean](double, int) { return mean; };
      s.noise = std::sqrt(std::log1p(c.variation));
    }
    std::size_t ways = 0;
    for (const link& l : result.links) ways += l.from == static_cast<int>(i);
    s.chooses = ways > 1 && std::abs(leaves[i] - 1) < 0.05;
    if (s.chooses)
      for (link& l : result.links)
        if (l.from == static_cast<int>(i)) l.records /= leaves[i];
    result.components.push_back(std::move(s));
  }
  return result;
}

// The counts at one moment.
struct moment {
  double time = 0;
  std::uint64_t left = 0;
  std::vector<std::uint64_t> taken;  // by component
};

moment look(const simulated_network& at, std::size_t components) {
  moment m{at.time(), at.flow().left(), {}};
  for (std::size_t i = 0; i < components; ++i) m.taken.push_back(at.flow().taken(i));
  return m;
}

// Measures from a quarter of the records until the last one has entered; the network is full during that time.
void add_flows(const simulation::scenario& of, const allotment& given, const network_prediction& p,
               const comparison& like, const trial_options& o, std::vector<comparison>& rows) {
  simulated_network network(of, o.seed);
  network.move_to(given);
  moment warm, end;
  std::vector<link> sent;
  while (network.flow().entered() < of.records && network.advance()) {
    if (warm.taken.empty() && network.flow().entered() >= of.records / 4) warm = look(network, of.components.size());
  }
  end = look(network, of.components.size());
  sent = network.flow().sent();
  while (network.advance()) {
  }
  const double seconds = end.time - warm.time;
  comparison row = like;
  row.stream = "throughput";
  row.predicted = p.throughput;
  row.records = end.left - warm.left;
  row.seen = static_cast<double>(row.records) / seconds;
  rows.push_back(row);
  for (const network_prediction::stream& s : p.streams) {
    if (s.from < 0 || s.to < 0) continue;
    const auto link =
        std::find_if(sent.begin(), sent.end(), [&](const weir::link& l) { return l.from == s.from && l.to == s.to; });
    if (link == sent.end()) continue;
    const auto from = static_cast<std::size_t>(s.from);
    const double records = link->records * static_cast<double>(end.taken[from] - warm.taken[from]);
    row.stream = of.components[from].name + " -> " + of.components[static_cast<std::size_t>(s.to)].name;
    row.predicted = s.records;
    row.records = static_cast<std::uint64_t>(records);
    row.seen = records / seconds;
    if (row.records > 0) rows.push_back(row);
  }
}

void add_occupancies(const simulation::scenario& of, const allotment& given, const network_prediction& p,
                     const comparison& like, const trial_options& o, std::vector<comparison>& rows) {
  simulated_network network(of, o.seed);
  network.move_to(given);
  const std::size_t n = of.components.size();
  std::vector<std::size_t> peak(n, 0), places(n, 0);
  while (network.advance())
    for (std::size_t i = 0; i < n; ++i) peak[i] = std::max(peak[i], network.flow().waiting(i));
  for (const network_prediction::stream& s : p.streams)
    if (s.to >= 0) places[static_cast<std::size_t>(s.to)] = s.places;
  for (std::size_t i = 0; i < n; ++i) {
    if (network.flow().taken(i) == 0) continue;
    comparison row = like;
    row.stream = "-> " + of.components[i].name;
    row.predicted = static_cast<double>(places[i]);
    row.seen = static_cast<double>(peak[i] + 1);
    row.records = network.flow().taken(i);
    rows.push_back(row);
  }
}

}  // namespace

network_model model_of(const random_network& drawn) {
  network_model model;
  std::vector<int> out(drawn.components.size(), 0);
  for (const random_stream& s : drawn.streams) ++out[s.from];
  for (std::size_t i = 0; i < drawn.components.size(); ++i) {
    network_model::component c;
    c.name = "b" + std::to_string(i);
    c.seconds = [mean = drawn.components[i].mean_seconds](int) { return mean; };
    model.components.push_back(std::move(c));
  }
  model.links.push_back({-1, 0, 1});
  for (const random_stream& s : drawn.streams)
    model.links.push_back({static_cast<int>(s.from), static_cast<int>(s.to), 1.0 / out[s.from]});
  model.links.push_back({static_cast<int>(drawn.components.size()) - 1, -1, 1});
  return model;
}

trial_result simulated_trial(const std::string& name, const network_model& model, int cores, const allotment& given,
                             double load, std::uint64_t records, const trial_options& o) {
  std::vector<std::string> names;
  for (const auto& c : model.components) names.push_back(c.name);
  const mapping where = mapping_of(given, model);
  const network_prediction most = predict_flow(model, where, cores);
  comparison like;
  like.network = name;
  like.ground = "simulated";
  like.mapping = to_string(given, names);
  simulation::scenario of = scenario_of(model, cores, records);
  // The default length of a run's streams if their reader is always busy.
  for (auto& c : of.components) c.capacity = 64;
  of.validate();
  trial_result result;
  add_flows(of, given, most, like, o, result.rows);

  for (auto& c : of.components) c.capacity = 1 << 20;  // never full
  const double rate = load * most.throughput;
  of.coming.how = simulation::arrivals::kind::profile;
  of.coming.rates = {{0, rate}};
  of.validate();
  like.kind = comparison::what::occupancy;
  like.load = load;
  const network_prediction loaded =
      predict_flow(model, where, cores, {.rate = rate, .blocking = blocking_for(static_cast<double>(records))});
  add_occupancies(of, given, loaded, like, o, result.rows);
  return result;
}

}  // namespace weir::flow_accuracy
