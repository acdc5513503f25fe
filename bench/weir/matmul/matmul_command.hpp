#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// `weir matmul`: the benchmark network. Adds the subcommand; what is returned runs it once `app` has parsed, gives the
// exit code (1 when a product is wrong), and throws bad_input for options that cannot be.
std::function<int()> add_matmul(CLI::App& app);

}  // namespace weir::command
