#pragma once

namespace weir::program {

// Runs the command: main() under another name, so that tests can call it. Returns the exit code: 0 done, 1 something
// failed during the run, 2 bad input.
int run_command_line(int argc, char** argv);

}  // namespace weir::program
