#include "bench/measurements/flow_accuracy/live_trial.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include <weir/run/predict_network.hpp>
#include "bench/measurements/flow_accuracy/random_allotment.hpp"

namespace weir::flow_accuracy {
namespace {

using clock_type = std::chrono::steady_clock;
using std::chrono::duration;

struct window {
  run_report from, to;
  double seconds = 0;

  double rate(std::uint64_t before, std::uint64_t after) const { return static_cast<double>(after - before) / seconds; }
};

// Sends for a quarter of the time to warm up, then for all of it, which is the window. rate 0: as much as can enter. If
// models are asked for, it continues for up to four times as long, until every component has run often enough for a
// mean. Results are not read, so only the sender's thread runs in addition to the network's.
window run_for(const application& app, const machine& on, const allotment& given, std::size_t capacity, double rate,
               const trial_options& o, std::map<std::string, saved_model>* models = nullptr) {
  options how;
  how.policy = as_mapped(given);
  how.machine = on;
  how.capacity = capacity;
  execution run = start(app.net, how);
  std::mt19937_64 generator(o.seed);
  std::exponential_distribution<double> gap(rate > 0 ? rate : 1);
  const auto begin = clock_type::now();
  const auto seconds = [&] { return duration<double>(clock_type::now() - begin).count(); };
  std::optional<run_report> warm;
  double warm_at = 0, due = 0;
  const auto is_enough = [&](double now) {
    constexpr std::uint64_t often = 30;
    if (now < 1.25 * o.seconds) return false;
    if (!models || now > 4 * o.seconds) return true;
    const run_report r = run.report();
    return std::all_of(r.components.begin(), r.components.end(),
                       [](const component_report& c) { return c.observations >= often; });
  };
  for (std::int64_t i = 0; !is_enough(seconds()); ++i) {
    if (rate > 0) {
      due += gap(generator);
      std::this_thread::sleep_until(begin + std::chrono::duration_cast<clock_type::duration>(duration<double>(due)));
    }
    run.send(app.input(i));
    if (!warm && seconds() >= 0.25 * o.seconds) {
      warm_at = seconds();
      warm = run.report();
    }
  }
  const double end = seconds();
  window seen{warm ? *std::move(warm) : run_report{}, run.report(), end - warm_at};
  if (seen.from.components.empty()) seen.from.components.resize(seen.to.components.size());
  if (models) *models = run.models();
  run.stop();
  return seen;
}

int index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// Records per second into each component, on all its streams: its invocations, which are counted exactly. A report
// knows their origin only if no stages in between mix records.
void add_flows(const application& app, const window& w, const network_prediction& p, const comparison& like,
               std::vector<comparison>& rows) {
  comparison row = like;
  row.stream = "throughput";
  row.predicted = p.throughput;
  row.seen = w.rate(w.from.results, w.to.results);
  row.records = w.to.results - w.from.results;
  if (row.records > 0) rows.push_back(row);
  for (std::size_t i = 0; i < app.components.size(); ++i) {
    const std::uint64_t before = w.from.components[i].invocations, after = w.to.components[i].invocations;
    row.stream = "-> " + app.components[i];
    row.predicted = p.components[i].rate;
    row.seen = w.rate(before, after);
    row.records = after - before;
    if (row.records > 0) rows.push_back(row);
  }
}

void add_occupancies(const application& app, const window& w, const network_prediction& p, const comparison& like,
                     trial_result& into) {
  std::vector<std::size_t> places(app.components.size(), 0);
  for (const network_prediction::stream& s : p.streams)
    if (s.to >= 0) places[static_cast<std::size_t>(s.to)] = s.places;
  std::size_t queues = 0;
  for (const stream_report& s : w.to.streams) {
    const int reader = index_of(app.components, s.to);
    if (reader < 0) continue;
    ++queues;
    if (s.records == 0) continue;
    comparison row = like;
    row.stream = "-> " + s.to;
    row.predicted = static_cast<double>(places[static_cast<std::size_t>(reader)]);
    row.seen = static_cast<double>(s.peak + 1);
    row.records = s.records;
    into.rows.push_back(row);
  }
  into.inlined += app.components.size() - queues;
}

}  // namespace

network_model measured_model(const application& app, const machine& on, const allotment& given,
                             const trial_options& o) {
  std::map<std::string, saved_model> models;
  const window seen = run_for(app, on, given, 0, 0, o, &models);
  const std::vector<component_report>& components = seen.to.components;
  // Some components get hardly any record, and a model learns nothing from the first. Their costs hardly matter.
  constexpr std::uint64_t few = 2;
  const auto known = std::find_if(components.begin(), components.end(),
                                  [](const component_report& c) { return c.observations >= few; });
  if (known == components.end()) throw std::invalid_argument("the run was too short to measure any component");
  for (const component_report& c : components)
    if (c.observations < few) models[c.name] = models[known->name];
  network_model model = model_of(app.net, models, seen.to);
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const double mean = (components[i].observations >= few ? components[i] : *known).mean_seconds;
    model.components[i].seconds = [mean](int) { return mean; };
  }
  return model;
}

trial_result live_trial(const application& app, const network_model& model, const std::string& ground,
                        const machine& on, const allotment& given, double load, const trial_options& o) {
  const mapping where = mapping_of(given, model);
  const network_prediction most = predict_flow(model, where, on.size());
  comparison like;
  like.network = app.name;
  like.ground = ground;
  like.mapping = to_string(given, app.components);
  trial_result result;
  add_flows(app, run_for(app, on, given, 0, 0, o), most, like, result.rows);

  constexpr std::size_t endless = 1 << 16;
  like.kind = comparison::what::occupancy;
  like.load = load;
  const double rate = load * most.throughput;
  const network_prediction loaded =
      predict_flow(model, where, on.size(), {.rate = rate, .blocking = blocking_for(rate * 1.25 * o.seconds)});
  add_occupancies(app, run_for(app, on, given, endless, rate, o), loaded, like, result);
  return result;
}

}  // namespace weir::flow_accuracy
