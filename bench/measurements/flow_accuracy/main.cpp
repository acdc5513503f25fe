// The errors of predicted flows and queues, on two applications and on drawn networks, under random mappings. It is the
// evaluation of Beard, Chamberlain & Franklin (Simple Analytic Performance Models for Streaming Data Applications).

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measurements/flow_accuracy/application.hpp"
#include "bench/measurements/flow_accuracy/live_trial.hpp"
#include "bench/measurements/flow_accuracy/random_allotment.hpp"
#include "bench/measurements/flow_accuracy/random_boxes.hpp"
#include "bench/measurements/flow_accuracy/simulated_trial.hpp"
#include "bench/measurements/flow_accuracy/summary.hpp"
#include "bench/support/host.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/program.hpp"
#include "bench/support/progress_bar.hpp"
#include "scheduler/view/counter_random.hpp"

namespace {

using namespace weir::flow_accuracy;
using json = nlohmann::ordered_json;
using weir::mix;

constexpr std::size_t all_drawn = 40;
constexpr int emulated_cores = 16;
// A sleep ends about 0.1 ms late. That is little for 2 ms instead of 20 us, and it is measured as part of the cost.
constexpr double emulated_scale = 100;
// With this many records, the counting error of a stream's flow (three standard errors) is below a tenth.
constexpr std::uint64_t enough = 1000;

struct request {
  std::vector<std::string> only{"jpeg", "des", "drawn"}, grounds{"cores", "emulated", "simulated"};
  std::size_t networks = all_drawn;
  int mappings = 2;
  std::uint64_t records = 20'000;  // of a simulated run
  trial_options trial;

  bool runs(const std::vector<std::string>& in, const char* what) const {
    return std::find(in.begin(), in.end(), what) != in.end();
  }
};

class evaluation {
 public:
  explicit evaluation(const request& r) : request_(r), bar_(count(), true) {}

  void run() {
    if (wants("jpeg")) evaluate(jpeg(), 0);
    if (wants("des")) evaluate(des(), 1);
    if (!wants("drawn")) return;
    const std::vector<random_network> all = draw_networks(request_.trial.seed);
    for (std::size_t k = 0; k < request_.networks; ++k) {
      const std::size_t which = k * all.size() / request_.networks;  // small and large ones, however few
      evaluate(all[which], fmt::format("drawn {}", all[which].components.size()), which);
    }
  }

  const std::vector<comparison>& rows() const { return rows_; }
  const std::map<std::string, std::uint64_t>& inlined() const { return inlined_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool wants(const char* what) const { return request_.runs(request_.only, what); }
  bool on(const char* ground) const { return request_.runs(request_.grounds, ground); }
  std::size_t count() const {
    const auto mappings = static_cast<std::size_t>(request_.mappings);
    const std::size_t live = on("cores") || on("simulated");
    return mappings * ((wants("jpeg") + wants("des")) * live * (on("cores") + on("simulated")) +
                       wants("drawn") * request_.networks * request_.grounds.size());
  }

  // An application that computes: its costs are measured on the real cores, also for simulated runs.
  void evaluate(const application& app, std::size_t which) {
    if (!on("cores") && !on("simulated")) return;
    const weir::machine real = weir::machine::local();
    const std::size_t n = app.components.size();
    noting(app.name, [&] {
      const weir::network_model model = measured_model(app, real, all_on_one_core(n), request_.trial);
      if (on("cores")) evaluate_live(app, model, "cores", real, which);
      if (on("simulated")) simulate(app.name, model, which);
    });
  }

  void evaluate(const random_network& drawn, const std::string& name, std::size_t which) {
    const std::size_t n = drawn.components.size();
    const auto boxes = [&](labour how, double scale) {
      application app{name, network_of(drawn, how, scale, request_.trial.seed), {}, random_input};
      for (std::size_t i = 0; i < n; ++i) app.components.push_back("b" + std::to_string(i));
      return app;
    };
    if (on("cores")) {
      const weir::machine real = weir::machine::local();
      const application app = boxes(labour::work, 1);
      noting(name + ", cores", [&] {
        evaluate_live(app, measured_model(app, real, all_on_one_core(n), request_.trial), "cores", real, which);
      });
    }
    if (on("emulated")) {
      const application app = boxes(labour::sleep, emulated_scale);
      const auto machine_of = [](std::size_t cores) {
        return weir::machine::synthetic(fmt::format("core:{} pu:1", cores));
      };
      noting(name + ", emulated", [&] {
        evaluate_live(app, measured_model(app, machine_of(n), one_core_each(n), request_.trial), "emulated",
                      machine_of(emulated_cores), which);
      });
    }
    if (on("simulated")) simulate(name, model_of(drawn), which);
  }

  void evaluate_live(const application& app, const weir::network_model& model, const char* ground,
                     const weir::machine& machine, std::size_t which) {
    each_mapping(app.name, app.components.size(), machine.size(), ground, which, [&](const auto& given, double load) {
      return live_trial(app, model, ground, machine, given, load, request_.trial);
    });
  }

  void simulate(const std::string& name, const weir::network_model& model, std::size_t which) {
    each_mapping(name, model.components.size(), emulated_cores, "simulated", which,
                 [&](const auto& given, double load) {
                   return simulated_trial(name, model, emulated_cores, given, load, request_.records, request_.trial);
                 });
  }

  template <class Trial>
  void each_mapping(const std::string& name, std::size_t components, int cores, const char* ground, std::size_t which,
                    Trial trial) {
    for (int m = 0; m < request_.mappings; ++m) {
      bar_.label(fmt::format("{} {}, mapping {}", name, ground, m + 1));
      const auto number = static_cast<std::size_t>(m);
      const weir::allotment given = random_allotment(components, cores, mix(mix(request_.trial.seed, which), number));
      noting(name + ", " + ground, [&] {
        const trial_result result = trial(given, loads[(which + number) % std::size(loads)]);
        inlined_[ground] += result.inlined;
        rows_.insert(rows_.end(), result.rows.begin(), result.rows.end());
      });
      bar_.advance();
    }
  }

  // If a prediction or simulation refuses a network, it is left out, and a note says so.
  template <class What>
  void noting(const std::string& who, What what) {
    try {
      what();
    } catch (const std::invalid_argument& e) {
      notes_.push_back(who + ": " + e.what());
    }
  }

  const request& request_;
  weir::program::progress_bar bar_;
  std::vector<comparison> rows_;
  std::map<std::string, std::uint64_t> inlined_;
  std::vector<std::string> notes_;
};

const char* kind_of(const comparison& c) { return c.kind == comparison::what::flow ? "flow" : "occupancy"; }

// "jpeg", "des" or "drawn": all drawn networks share a row of the table.
std::string family(const comparison& c) { return c.network.substr(0, c.network.find(' ')); }

json to_json(const request& r, const evaluation& e) {
  json rows = json::array();
  for (const comparison& c : e.rows())
    rows.push_back({{"network", c.network},
                    {"ground", c.ground},
                    {"mapping", c.mapping},
                    {"kind", kind_of(c)},
                    {"stream", c.stream},
                    {"load", c.load},
                    {"predicted", c.predicted},
                    {"seen", c.seen},
                    {"records", c.records},
                    {"error_percent", c.error_percent()}});
  return {{"machine", weir::machine::local().summary()},
          {"processor", weir::program::processor_name()},
          {"build", weir::program::build_type()},
          {"seconds", r.trial.seconds},
          {"seed", r.trial.seed},
          {"mappings", r.mappings},
          {"inlined", e.inlined()},
          {"notes", e.notes()},
          {"rows", std::move(rows)}};
}

void print(const std::string& title, const summary& s, comparison::what kind) {
  fmt::print("  {:<40} {:>6} {:>8.1f} {:>8.1f} {:>8.1f}", title, s.rows, s.median, s.p5, s.p95);
  if (kind == comparison::what::flow)
    fmt::print(" {:>8.1f} {:>8.1f} {:>8.4f}\n", s.median_absolute, s.within * 100, s.r_squared);
  else
    fmt::print(" {:>8.1f}\n", s.bounded * 100);
}

void print(comparison::what kind, const std::vector<comparison>& all) {
  const bool flows = kind == comparison::what::flow;
  fmt::print("\n{}\n  {:<40} {:>6} {:>8} {:>8} {:>8} {}\n",
             flows ? "Flow: error in percent of what was seen; as much as can enter is sent"
                   : "Most that a queue held, of the bound that was predicted: error in percent of what was seen",
             "", "rows", "median", "5 %", "95 %", flows ? "|median| % in 10      R^2" : "% bounded");
  std::map<std::string, std::vector<comparison>> groups, grounds;
  for (const comparison& c : all) {
    if (c.kind != kind) continue;
    groups[c.ground + ", " + family(c)].push_back(c);
    if (flows && c.stream == "throughput") groups[c.ground + ", " + family(c) + ": throughput"].push_back(c);
    if (flows && c.records >= enough)
      groups[fmt::format("{}, {}: {} records or more", c.ground, family(c), enough)].push_back(c);
    if (!flows) groups[fmt::format("{}, {}: load {:.2f}", c.ground, family(c), c.load)].push_back(c);
    grounds[c.ground].push_back(c);
  }
  for (const auto& [title, rows] : groups) print(title, summary_of(rows), kind);
  fmt::print("  {:<40} {}\n", "Beard, Chamberlain & Franklin",
             flows ? "typically within 10 %, R^2 .9999" : "always bounded");
  for (const auto& [ground, rows] : grounds) fmt::print("\n  {}\n{}", ground, histogram(rows));
}

void print(const request& r, const evaluation& e) {
  fmt::print("{}, {}, {} build; runs of {} s, {} mappings a network, seed {}; emulated and simulated: {} cores\n",
             weir::program::processor_name(), weir::machine::local().summary(), weir::program::build_type(),
             r.trial.seconds, r.mappings, r.trial.seed, emulated_cores);
  print(comparison::what::flow, e.rows());
  print(comparison::what::occupancy, e.rows());
  for (const auto& [ground, streams] : e.inlined())
    if (streams > 0)
      fmt::print("\n{}: {} streams had no queue, since their reader ran in who wrote to it\n", ground, streams);
  for (const std::string& note : e.notes()) fmt::print("note: {}\n", note);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Predicted flows and queues beside those seen, on two applications and on drawn networks"};
  request r;
  bool as_json = false;
  app.add_flag("--json", as_json, "machine-readable output");
  app.add_option("--only", r.only, "networks")->delimiter(',')->check(CLI::IsMember({"jpeg", "des", "drawn"}));
  app.add_option("--on", r.grounds, "where: the machine's cores, sleeping components on 16, virtual time on 16")
      ->delimiter(',')
      ->check(CLI::IsMember({"cores", "emulated", "simulated"}));
  app.add_option("--networks", r.networks, "drawn ones")->check(CLI::Range(std::size_t{1}, all_drawn));
  app.add_option("--mappings", r.mappings, "random ones of each network")->check(CLI::Range(1, 1000));
  app.add_option("--seconds", r.trial.seconds, "of each run")->check(weir::program::number_range(0.05, 3600));
  app.add_option("--records", r.records, "of each simulated run")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{100'000'000}));
  app.add_option("--seed", r.trial.seed, "of networks, mappings and times")->transform(weir::program::whole_range());
  return weir::program::run_program(app, argc, argv, [&] {
    evaluation all(r);
    all.run();
    if (as_json)
      fmt::print("{}\n", to_json(r, all).dump(2));
    else
      print(r, all);
    return 0;
  });
}
