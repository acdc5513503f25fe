#include "bench/weir/subcommands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <weir/options/saved_runs.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/accepted_numbers.hpp"
#include "bench/weir/common/models_file.hpp"
#include "bench/weir/common/predicted_table.hpp"
#include "bench/weir/predict/predict_report.hpp"

namespace weir::program {
namespace {

struct predict_request {
  std::string model, x, cores;
  std::optional<std::string> component;
  bool json = false;
};

constexpr std::size_t most_rows = 1000000;  // of one table

// The runs of a folder, or the models of a file as those of a run without a name.
std::vector<saved_run> read_runs_of(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return {{"", read_models_file(path)}};
  try {
    return read_runs(path);
  } catch (const std::invalid_argument& e) {
    throw bad_input(e.what());
  }
}

std::vector<saved_run> read(const predict_request& asked) {
  std::vector<saved_run> runs = read_runs_of(asked.model);
  if (!asked.component) return runs;
  std::set<std::string> names;
  for (saved_run& run : runs) {
    for (const auto& [name, model] : run.models) names.insert(name);
    std::erase_if(run.models, [&](const auto& one) { return one.first != *asked.component; });
  }
  if (!names.contains(*asked.component))
    throw bad_input(fmt::format("--component: {} has no component {}; there are {}", asked.model,
                                excerpt(*asked.component), listed({names.begin(), names.end()})));
  return runs;
}

predicted_component predict(const predict_request& asked, const std::string& run, const std::string& name,
                            const saved_model& saved, const std::vector<double>& xs, const std::vector<int>& cores) {
  try {
    predicted_component out = predict_table(name, saved, xs, cores);
    out.run = run;
    if (!run.empty())  // nothing tells which of the runs the next one is like
      for (table_row& row : out.best) row.cores = 0, row.seconds = std::numeric_limits<double>::quiet_NaN();
    return out;
  } catch (const std::invalid_argument& e) {
    throw bad_input(
        fmt::format("{}: {}component {}: {}", asked.model, run.empty() ? "" : run + ": ", excerpt(name), e.what()));
  }
}

int run_predict(const predict_request& asked) {
  const std::vector<double> xs = parse_reals("--x", asked.x, 0, size_or_zero.most, most_rows);
  std::vector<int> cores;
  for (const std::int64_t p : parse_numbers("--cores", asked.cores, 1, 1 << 20, most_rows))
    cores.push_back(static_cast<int>(p));
  if (xs.size() > most_rows / cores.size())
    throw bad_input(fmt::format("--x and --cores: {} x {} is more than {} rows", xs.size(), cores.size(), most_rows));
  std::vector<predicted_component> predicted;
  for (const saved_run& run : read(asked))
    for (const auto& [name, saved] : run.models) predicted.push_back(predict(asked, run.name, name, saved, xs, cores));
  print(asked.json ? predict_json(predicted) : predict_text(predicted));
  return 0;
}

}  // namespace

std::function<int()> add_predict(CLI::App& app) {
  const auto asked = std::make_shared<predict_request>();
  CLI::App* const sub = app.add_subcommand("predict", "What saved models expect an invocation to cost, on which cores");
  sub->add_option("MODEL", asked->model,
                  "A file that weir fit --save or weir matmul --save-model wrote, or a folder of them")
      ->required();
  sub->add_option("--x", asked->x, "Predictor values: 500,1000 or LO:HI:STEP or both")->required();
  sub->add_option("--cores", asked->cores, "Numbers of cores: 1,2,4 or LO:HI:STEP or both")->required();
  sub->add_option("--component", asked->component, "This one alone");
  sub->add_flag("--json", asked->json, "For programs");
  return [asked] { return run_predict(*asked); };
}

}  // namespace weir::program
