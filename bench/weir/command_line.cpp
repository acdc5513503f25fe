#include "bench/weir/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>

#include <weir/version.hpp>

#include "bench/weir/bad_input.hpp"
#include "bench/weir/compare_command.hpp"
#include "bench/weir/explain_command.hpp"
#include "bench/weir/fit_command.hpp"
#include "bench/weir/flow_command.hpp"
#include "bench/weir/interruption.hpp"
#include "bench/weir/matmul_command.hpp"
#include "bench/weir/predict_command.hpp"
#include "bench/weir/simulate_command.hpp"
#include "bench/weir/topology_command.hpp"

namespace weir::command {
namespace {

int complain(std::string what, int code) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::fprintf(stderr, "weir: %s\n", what.c_str());
  return code;
}

// A word that is no subcommand is named, which CLI11 does not do.
std::string explain(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return std::string(e.what()) + " (try --help)";
  std::string known;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) known += (known.empty() ? "" : ", ") + sub->get_name();
  return "there is no subcommand \"" + std::string(argv[1]) + "\"; there are " + known;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("weir: streaming networks with an adaptive scheduler", "weir");
  app.require_subcommand(1);
  app.set_version_flag("--version", "weir " + std::string(linked_version()), "Print the version and exit");
  app.failure_message([](const CLI::App*, const CLI::Error&) { return std::string(); });
  try {
    const std::map<std::string, std::function<int()>> commands{
        {"matmul", add_matmul(app)},   {"compare", add_compare(app)},  {"fit", add_fit(app)},
        {"predict", add_predict(app)}, {"explain", add_explain(app)},  {"simulate", add_simulate(app)},
        {"flow", add_flow(app)},       {"topology", add_topology(app)}};
    app.parse(argc, argv);
    return commands.at(app.get_subcommands().front()->get_name())();
  } catch (const CLI::ParseError& e) {
    return e.get_exit_code() == 0 ? app.exit(e) : complain(explain(app, e, argc, argv), 2);
  } catch (const bad_input& e) {
    return complain(e.what(), 2);
  } catch (const interrupted_early& e) {
    return complain(e.what(), interruption::exit_code);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}

}  // namespace weir::command
