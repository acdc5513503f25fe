#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir predict`: saved models asked what an invocation would cost. Adds the subcommand; what is
// returned runs it once `app` has parsed, gives the exit code, and throws bad_input for what cannot be.
std::function<int()> add_predict(CLI::App& app);

}  // namespace weir::command
