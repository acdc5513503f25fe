#pragma once

#include <functional>

#include "bench/support/command_app.hpp"

namespace weir::program {

// Each adds a subcommand to `app`. The returned function runs the subcommand after `app` has parsed, and gives the exit
// code. It throws bad_input for invalid input.
std::function<int()> add_matmul(CLI::App& app);    // the benchmark network; 1 if a product is wrong
std::function<int()> add_compare(CLI::App& app);   // policies, and programs without weir; 1 if a result is wrong
std::function<int()> add_fit(CLI::App& app);       // a CSV of observations becomes models and their errors
std::function<int()> add_predict(CLI::App& app);   // predictions of saved models
std::function<int()> add_explain(CLI::App& app);   // what a run's times depend on
std::function<int()> add_simulate(CLI::App& app);  // a scenario under several policies, in virtual time
std::function<int()> add_flow(CLI::App& app);      // predictions for a network on a mapping, and the best mapping
std::function<int()> add_view(CLI::App& app);      // what was saved becomes a page
std::function<int()> add_topology(CLI::App& app);  // the cores as weir sees them
std::function<int()> add_check(CLI::App& app);     // all errors of a network as text; 1 if there are any
std::function<int()> add_run(CLI::App& app);       // runs one; 1 if a record was refused or failed
std::function<int()> add_dot(CLI::App& app);       // one as a graph
std::function<int()> add_fmt(CLI::App& app);       // one in its layout
std::function<int()> add_host(CLI::App& app);      // boxes of libraries as a worker of another program
std::function<int()> add_corpus(CLI::App& app);    // documents to text: starts weir-corpus

// Makes `app` the whole command: its name, its own options, and all of these, by name.
subcommands describe_command(CLI::App& app);

}  // namespace weir::program
