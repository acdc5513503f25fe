// The `weir` command: one subcommand a file.
#include "bench/weir/command_line.hpp"

int main(int argc, char** argv) { return weir::command::run_command_line(argc, argv); }
