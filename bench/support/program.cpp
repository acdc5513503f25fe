#include "bench/support/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "bench/support/bad_input.hpp"

namespace weir::program {

int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  const auto refuse = [&](const std::exception& e, int code) {
    fmt::print(stderr, "{}: {}\n", std::filesystem::path(argv[0]).filename().string(), e.what());
    return code;
  };
  try {
    return run();
  } catch (const bad_input& e) {
    return refuse(e, 2);
  } catch (const std::exception& e) {
    return refuse(e, 1);
  }
}

}  // namespace weir::program
