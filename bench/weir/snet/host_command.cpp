#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weir/network/registry.hpp>
#include <weir/process/serve.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/snet/box_libraries.hpp"
#include "bench/weir/subcommands.hpp"
#include "runtime/process/variables.hpp"

namespace weir::program {
namespace {

int host_libraries(const std::vector<std::string>& libraries) {
  if (!std::getenv(detail::processes::socket_variable))
    throw bad_input(
        "weir host runs boxes of libraries in a process of another program's, which starts it: by isolated(box, "
        "\"LIBRARY\"), by worker(name, takes(..), gives(..), {\"weir\", \"host\", \"LIBRARY\"}), or for \"isolated\": "
        "true in a file of boxes; a network of boxes of a library is run by weir run FILE --boxes LIBRARY");
  registry boxes;
  for (const std::string& library : libraries) add_library(boxes, library, "");
  return serve(boxes);
}

}  // namespace

std::function<int()> add_host(CLI::App& app) {
  const auto libraries = std::make_shared<std::vector<std::string>>();
  CLI::App* const sub = app.add_subcommand(
      "host",
      "Runs boxes of libraries in a process of another program's, which starts it by isolated(..) or worker(..)");
  sub->add_option("LIBRARY", *libraries, "A shared library with boxes; may be given several times")->required();
  return [libraries] { return host_libraries(*libraries); };
}

}  // namespace weir::program
