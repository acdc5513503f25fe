#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weir::program {

// The manual of a command as its table of options has it: `app` with its subcommands. Each throws std::bad_alloc alone.

// The man page of section 1, in the macros of man(7).
std::string man_page(const CLI::App& app, std::string_view version);

// A script for bash that completes subcommands and options; where neither is asked for, readline completes file names.
std::string bash_completion(const CLI::App& app);

// In the order of the help, without what the help hides.
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);

}  // namespace weir::program
