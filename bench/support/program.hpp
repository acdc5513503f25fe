#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::program {

// The main function of a measurement: parses its command line, then calls `run` for the exit code. That is 2 for input
// that cannot be, and 1 after any other exception, whose text stands behind the program's name on standard error.
int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace weir::program
