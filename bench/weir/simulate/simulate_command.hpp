#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir simulate`: a scenario under several policies and virtual time. Adds the subcommand; what is returned runs it
// once `app` has parsed, gives the exit code, and throws bad_input for what cannot be.
std::function<int()> add_simulate(CLI::App& app);

}  // namespace weir::command
