#pragma once

#include <functional>
#include <map>
#include <string>

namespace CLI {
class App;
}

namespace weir::program {

// The functions of a command's subcommands, by name. Each runs one and gives the exit code.
using subcommands = std::map<std::string, std::function<int()>>;

// Runs a command of subcommands: `describe` names them, and the one of the arguments is called. Gives the exit code: 2
// after bad_input and for arguments that the description does not allow, which includes a value that is empty; 1 after
// another exception; interruption::exit_code() after interrupted_early. The reason goes to standard error behind "NAME:
// ", without control characters.
int run_app(const std::string& name, subcommands (*describe)(CLI::App& app), int argc, char** argv);

}  // namespace weir::program
