#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir topology`: the cores as weir sees them. Adds the subcommand; what is returned runs it once `app` has parsed.
std::function<int()> add_topology(CLI::App& app);

}  // namespace weir::command
