#include "bench/weir/command_line.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>

#include <weir/version.hpp>

#include "bench/weir/subcommands.hpp"

namespace weir::program {

subcommands describe_command(CLI::App& app) {
  app.name("weir");
  app.description("weir: streaming networks with an adaptive scheduler");
  app.set_version_flag("--version", "weir " + std::string(linked_version()), "Print the version and exit");
  return {{"check", add_check(app)},     {"run", add_run(app)},           {"dot", add_dot(app)},
          {"fmt", add_fmt(app)},         {"host", add_host(app)},         {"matmul", add_matmul(app)},
          {"compare", add_compare(app)}, {"fit", add_fit(app)},           {"predict", add_predict(app)},
          {"explain", add_explain(app)}, {"simulate", add_simulate(app)}, {"flow", add_flow(app)},
          {"view", add_view(app)},       {"topology", add_topology(app)}, {"corpus", add_corpus(app)}};
}

int run_command_line(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that would be too large fails to be written, which is said, and is removed
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what boxes of libraries print comes as whole lines between results
  return run_app("weir", describe_command, argc, argv);
}

}  // namespace weir::program
