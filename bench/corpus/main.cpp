// weir-corpus: documents to text. A program of its own, since it links poppler, which is GPL; `weir corpus` starts it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <sstream>
#include <string>

#include "bench/corpus/corpus_subcommands.hpp"
#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"

namespace weir::corpus {
namespace {

// Names a word that is no subcommand, which CLI11 does not do.
std::string explain(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return std::string(e.what()) + " (try --help)";
  return "there is no subcommand " + program::excerpt(argv[1]) + "; there are generate, run and compare";
}

int run_command(int argc, char** argv) {
  CLI::App app("weir corpus: a folder of PDFs and pictures becomes clean text", "weir corpus");
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error&) { return std::string(); });
  const std::map<std::string, std::function<int()>> commands{{"generate", add_generate(app)},
                                                             {"run", add_run(app)},
                                                             {"compare", add_compare(app)},
                                                             {"document", add_document(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw program::bad_input(explain(app, e, argc, argv));
    std::ostringstream help;
    app.exit(e, help, help);
    program::print(help.str());
    return 0;
  }
  return commands.at(app.get_subcommands().front()->get_name())();
}

int complain(std::string what, int code) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::fputs(("weir corpus: " + program::printable(what) + "\n").c_str(), stderr);
  return code;
}

int code_of(const std::function<int()>& call) {
  try {
    return call();
  } catch (const program::bad_input& e) {
    return complain(e.what(), 2);
  } catch (const program::interrupted_early& e) {
    return complain(e.what(), program::interruption::exit_code());
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory", 1);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}

}  // namespace
}  // namespace weir::corpus

int main(int argc, char** argv) {
  using namespace weir;
  const int code = corpus::code_of([&] { return corpus::run_command(argc, argv); });
  return corpus::code_of([&] {
    program::close_standard_output();
    return code;
  });
}
