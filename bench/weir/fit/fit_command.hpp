#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir fit`: a CSV of observations becomes models, and how far they are off. Adds the subcommand; what is
// returned runs it once `app` has parsed, gives the exit code, and throws bad_input for what cannot be.
std::function<int()> add_fit(CLI::App& app);

}  // namespace weir::command
