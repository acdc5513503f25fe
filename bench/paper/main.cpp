// paper: the experiment of Verstraaten & Scholz, "On Predicting the Impact of Resource Redistributions in Streaming
// Applications". It turns observations into the CSV of its figures and tables of its claims. bench/paper.sh runs all of
// it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/paper/claims.hpp"
#include "bench/paper/cores48.hpp"
#include "bench/paper/figure_files.hpp"
#include "bench/paper/kernel_result.hpp"
#include "bench/support/bad_input.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/weir/common/fit_data.hpp"

namespace {

namespace paper = weir::paper;
namespace program = weir::program;

const std::vector<std::string> kernels{"naive", "blocked16", "blocked32", "blocked64"};
const std::string component = "multiply";

std::string file_of(const std::string& folder, const std::string& kernel) { return folder + "/" + kernel + ".csv"; }

void draw(const std::string& folder, std::uint64_t seed) {
  std::filesystem::create_directories(folder);
  for (const std::string& kernel : kernels) {
    std::string text = "component,x,cores,seconds\n";
    for (const auto& row : paper::cores48::observe(paper::cores48::cost(kernel), paper::cores48::noise, seed++))
      text += fmt::format("{},{},{},{}\n", component, row.x, row.cores, row.seconds);
    program::output_file("draw", file_of(folder, kernel)).write(text);
  }
}

void compute(const std::string& from, const std::string& to, bool cpu_time) {
  std::vector<paper::kernel_result> results;
  for (const std::string& kernel : kernels) {
    const std::string path = file_of(from, kernel);
    const auto all = program::read_rows(path, cpu_time, false);
    const auto found = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.name == component; });
    if (found == all.end() || found->rows.empty())
      throw program::bad_input(fmt::format("{} has no rows of the component {}", path, component));
    results.push_back(paper::evaluate(kernel, found->rows));
  }
  std::filesystem::create_directories(to);
  for (const auto& result : results) paper::write_figures(to, result);
  std::fputs(paper::claims_of(results).c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The experiment of Verstraaten & Scholz: observations become figures and claims"};
  app.require_subcommand(1);
  std::string from, to, time = "wall";
  std::uint64_t seed = 1;
  auto* drawing = app.add_subcommand("draw", "Write what a machine of 48 cores would show of each kernel");
  drawing->add_option("TO", to, "folder for KERNEL.csv")->required();
  drawing->add_option("--seed", seed, "of the noise and the order")
      ->transform(weir::program::whole_range())
      ->capture_default_str();
  auto* computing = app.add_subcommand("compute", "Write the CSV of the figures, print the claims");
  computing->add_option("FROM", from, "folder with KERNEL.csv: naive, blocked16, blocked32, blocked64")->required();
  computing->add_option("TO", to, "folder for the CSV of the figures")->required();
  computing->add_option("--time", time, "wall or cpu")->check(CLI::IsMember({"wall", "cpu"}))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (drawing->parsed()) draw(to, seed);
    if (computing->parsed()) compute(from, to, time == "cpu");
    return 0;
  } catch (const program::bad_input& e) {
    fmt::print(stderr, "paper: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "paper: {}\n", e.what());
    return 1;
  }
}
