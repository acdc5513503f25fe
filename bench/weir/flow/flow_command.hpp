#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir flow`: what a network does on a mapping, and which mapping is best, by the model. Adds the subcommand; what is
// returned runs it once `app` has parsed, gives the exit code, and throws bad_input for what cannot be.
std::function<int()> add_flow(CLI::App& app);

}  // namespace weir::command
