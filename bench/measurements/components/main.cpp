// component_costs: the costs of the components in components/, and what every estimator learns from them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "bench/measurements/components/learnt.hpp"
#include "bench/measurements/components/measured.hpp"
#include "bench/measurements/components/workloads.hpp"
#include "bench/support/host.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/program.hpp"

namespace {

using nlohmann::json;
namespace costs = weir::component_costs;

// The information about a component for a model: its predictor and the degree.
struct law {
  std::string component;
  std::string predictor;
  int degree;
  double (*value)(double x);
};

double itself(double x) { return x; }
double to_the_log2_of_3(double x) { return std::pow(x, std::log2(3.0)); }

const std::vector<law> laws{{"naive", "N", 3, itself},     {"blocked32", "N", 3, itself},
                            {"gauss", "N", 3, itself},     {"rabin-miller", "bits", 3, itself},
                            {"karatsuba", "n", 2, itself}, {"karatsuba", "n^log2(3)", 1, to_the_log2_of_3}};

const std::string reference = "(table)";

struct row {
  law cost_law;
  std::string estimator;
  costs::learnt learnt;
};

std::vector<row> learn_all(const std::vector<costs::measurement>& measured) {
  std::vector<row> rows;
  for (const law& cost_law : laws) {
    std::vector<weir::observation> seen;
    for (const costs::measurement& m : measured) {
      if (m.component == cost_law.component) {
        seen.push_back({.x = cost_law.value(m.x), .cores = m.cores, .seconds = m.seconds});
      }
    }
    for (const std::string& name : weir::estimator_names()) {
      rows.push_back({cost_law, name, costs::learn(name, weir::degree{cost_law.degree}, seen)});
    }
    rows.push_back({cost_law, reference, costs::look_up(seen)});
  }
  return rows;
}

std::string as_csv(const std::vector<costs::measurement>& measured) {
  std::string text = "component,x,cores,seconds\n";
  for (const costs::measurement& m : measured) {
    text += fmt::format("{},{},{},{}\n", m.component, m.x, m.cores, m.seconds);
  }
  return text;
}

json as_json(const costs::error_percent& e) { return {{"median", e.median}, {"p95", e.p95}}; }

json as_json(const row& r) {
  json j{{"component", r.cost_law.component},
         {"predictor", r.cost_law.predictor},
         {"degree", r.cost_law.degree},
         {"estimator", r.estimator},
         {"observations", r.learnt.observations},
         {"online_error_percent", as_json(r.learnt.online)},
         {"held_out_error_percent", as_json(r.learnt.held_out)}};
  if (r.estimator != reference) {
    j["alpha"] = r.learnt.model.alpha;
    j["coefficients"] = r.learnt.model.coefficients;
    j["words"] = r.learnt.model.words;
  }
  return j;
}

void print(const std::vector<row>& rows) {
  fmt::print("{:<13}{:<11}{:>6}  {:<24}{:>7}{:>8}{:>8}{:>12}{:>8}{:>9}\n", "component", "predictor", "degree",
             "estimator", "learnt", "online", "p95", "held out", "p95", "alpha");
  for (const row& r : rows) {
    const bool is_law = r.estimator != reference;
    fmt::print("{:<13}{:<11}{:>6}  {:<24}{:>7}{:>8.1f}{:>8.1f}{:>12.1f}{:>8.1f}{:>9}\n", r.cost_law.component,
               r.cost_law.predictor, r.cost_law.degree, r.estimator, r.learnt.observations, r.learnt.online.median,
               r.learnt.online.p95, r.learnt.held_out.median, r.learnt.held_out.p95,
               is_law ? fmt::format("{:.3f}", r.learnt.model.alpha) : "");
  }
}

struct options {
  bool json_wanted = false;
  std::string csv;
  int repeats = 10;
  std::uint64_t seed = 1;
  std::vector<int> cores;
};

int run(const options& chosen) {
  std::vector<weir::program::output_file> csv;
  if (!chosen.csv.empty()) csv.emplace_back("--csv", chosen.csv);
  const auto workloads = costs::make_workloads(chosen.seed);
  const auto measured = costs::measure(workloads, chosen.cores, chosen.repeats, chosen.seed);
  const auto wrong = std::count_if(measured.begin(), measured.end(), [](const auto& m) { return !m.right; });
  const auto disturbed = std::count_if(measured.begin(), measured.end(), [](const auto& m) { return m.disturbed; });
  const std::vector<row> rows = learn_all(measured);
  for (const auto& file : csv) file.write(as_csv(measured));

  if (chosen.json_wanted) {
    json all{
        {"machine", {{"cores", std::thread::hardware_concurrency()}, {"processor", weir::program::processor_name()}}},
        {"build", weir::program::build_type()},
        {"repeat", chosen.repeats},
        {"seed", chosen.seed},
        {"cores", chosen.cores},
        {"rabin_miller_rounds", costs::rabin_miller_rounds},
        {"checks", {{"answers", measured.size()}, {"wrong", wrong}}},
        {"disturbed", disturbed},
        {"rows", json::array()}};
    for (const row& r : rows) all["rows"].push_back(as_json(r));
    fmt::print("{}\n", all.dump(2));
  } else {
    fmt::print(
        "{} cores ({}), {} build; {} sizes on {} cores, {} runs each in shuffled order, seed {}; Rabin-Miller with {} "
        "rounds\n{} answers checked, {} wrong; {} runs in which the system took a core away\n"
        "errors in %: median and 95th percentile\n\n",
        std::thread::hardware_concurrency(), weir::program::processor_name(), weir::program::build_type(),
        workloads.size(), fmt::join(chosen.cores, ", "), chosen.repeats, chosen.seed, costs::rabin_miller_rounds,
        measured.size(), wrong, disturbed);
    print(rows);
  }
  if (wrong != 0) fmt::print(stderr, "component_costs: {} of {} answers are wrong\n", wrong, measured.size());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options chosen;
  chosen.cores = most > 1 ? std::vector<int>{1, 2} : std::vector<int>{1};
  CLI::App app{"What the components cost, and what every estimator learns of it"};
  app.add_flag("--json", chosen.json_wanted, "machine-readable output");
  app.add_option("--csv", chosen.csv, "write every observation to this file: component,x,cores,seconds");
  app.add_option("--repeat", chosen.repeats, "runs of each component at each size on each number of cores")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", chosen.seed, "of the inputs and the order")
      ->transform(weir::program::whole_range())
      ->capture_default_str();
  app.add_option("--cores", chosen.cores, "numbers of cores, such as 1,2")
      ->delimiter(',')
      ->check(CLI::Range(1, most))
      ->capture_default_str();
  return weir::program::run_program(app, argc, argv, [&] { return run(chosen); });
}
