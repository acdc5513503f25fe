#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::command {

// Each adds a subcommand to `app`. What it returns runs the subcommand once `app` has parsed, gives the exit code, and
// throws bad_input for what cannot be.
std::function<int()> add_matmul(CLI::App& app);    // the benchmark network; 1 when a product is wrong
std::function<int()> add_compare(CLI::App& app);   // policies, and programs without weir; 1 when a result is wrong
std::function<int()> add_fit(CLI::App& app);       // a CSV of observations becomes models, and how far they are off
std::function<int()> add_predict(CLI::App& app);   // saved models asked what an invocation would cost
std::function<int()> add_explain(CLI::App& app);   // what a run's times go with
std::function<int()> add_simulate(CLI::App& app);  // a scenario under several policies, in virtual time
std::function<int()> add_flow(CLI::App& app);      // what a network does on a mapping, and which mapping is best
std::function<int()> add_topology(CLI::App& app);  // the cores as weir sees them

}  // namespace weir::command
