#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir compare`: one workload under several policies, and against what one would write without weir. Adds the
// subcommand; what is returned runs it once `app` has parsed, gives the exit code (1 when a result is wrong), and
// throws bad_input for options that cannot be.
std::function<int()> add_compare(CLI::App& app);

}  // namespace weir::command
