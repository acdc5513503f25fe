#include "bench/weir/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

#include <weir/version.hpp>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/subcommands.hpp"

namespace weir::program {
namespace {

// Prints one line without control characters. If there is no memory for it, it says that instead.
int complain(std::string_view what, int code) noexcept {
  try {
    std::string words(what);
    std::replace(words.begin(), words.end(), '\n', ' ');
    const std::string line = "weir: " + printable(words) + "\n";
    std::fputs(line.c_str(), stderr);
    return code;
  } catch (...) {
    std::fputs("weir: there is not enough memory\n", stderr);
    return 1;
  }
}

// Names a word that is not a subcommand, which CLI11 does not do.
std::string explain(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return std::string(e.what()) + " (try --help)";
  std::string known;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) known += (known.empty() ? "" : ", ") + sub->get_name();
  return "there is no subcommand \"" + std::string(argv[1]) + "\"; there are " + known;
}

int run_command(int argc, char** argv) {
  CLI::App app;
  const auto commands = describe_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw bad_input(explain(app, e, argc, argv));
    std::ostringstream help;
    app.exit(e, help, help);
    print(help.str());
    return 0;
  }
  return commands.at(app.get_subcommands().front()->get_name())();
}

// Calls it and reports thrown exceptions.
template <typename Call>
int code_of(Call call) noexcept {
  try {
    return call();
  } catch (const bad_input& e) {
    return complain(e.what(), 2);
  } catch (const interrupted_early& e) {
    return complain(e.what(), interruption::exit_code());
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory", 1);
  } catch (const std::exception& e) {
    // An invariant is never what the user has to mend. Derived kinds of logic_error are about what was given.
    if (typeid(e) == typeid(std::logic_error))
      return complain(std::string("this is a mistake in weir, not in what was given; please report it: ") + e.what(),
                      1);
    return complain(e.what(), 1);
  } catch (...) {
    return complain("what was thrown is no std::exception", 1);
  }
}

}  // namespace

std::map<std::string, std::function<int()>> describe_command(CLI::App& app) {
  app.name("weir");
  app.description("weir: streaming networks with an adaptive scheduler");
  app.require_subcommand(1);
  app.set_version_flag("--version", "weir " + std::string(linked_version()), "Print the version and exit");
  app.failure_message([](const CLI::App*, const CLI::Error&) { return std::string(); });
  return {{"check", add_check(app)},     {"run", add_run(app)},           {"dot", add_dot(app)},
          {"fmt", add_fmt(app)},         {"host", add_host(app)},         {"matmul", add_matmul(app)},
          {"compare", add_compare(app)}, {"fit", add_fit(app)},           {"predict", add_predict(app)},
          {"explain", add_explain(app)}, {"simulate", add_simulate(app)}, {"flow", add_flow(app)},
          {"view", add_view(app)},       {"topology", add_topology(app)}, {"corpus", add_corpus(app)}};
}

int run_command_line(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that would be too large fails to be written, which is said, and is removed
  const int code = code_of([&] { return run_command(argc, argv); });
  return code_of([&] {
    close_standard_output();
    return code;
  });
}

}  // namespace weir::program
