#pragma once

namespace weir::command {

// What the command does: main() but for its name, so that tests could call it. Returns the exit code: 0 done, 1
// something went wrong on the way, 2 bad input.
int run_command_line(int argc, char** argv);

}  // namespace weir::command
