#include "bench/support/command_app.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"

namespace weir::program {
namespace {

// Prints one line, or the lines of a bad_text. If there is no memory for it, it says that instead.
int complain(const std::string& name, std::string_view what, int code, char between = ' ') noexcept {
  try {
    std::string said;
    for (const std::string& line : split_text(std::string(what), '\n'))
      said += (said.empty() ? name + ": " : std::string(1, between)) + printable(line);
    std::fputs((said + "\n").c_str(), stderr);
    return code;
  } catch (...) {
    std::fputs("weir: there is not enough memory\n", stderr);
    return 1;
  }
}

// Says in weir's words which word is no subcommand, which flag has a value, and which option is given again.
std::string explain(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  const std::string what = e.what(), of_flag = " was given a disallowed flag override";
  if (what.ends_with(of_flag))
    return fmt::format("--{}: it takes no value (try --help)", what.substr(0, what.size() - of_flag.size()));
  const std::string too_often = ": At Most 1 required but received ";
  if (const std::size_t at = what.find(too_often); at != what.npos)
    return fmt::format("{}: it is given {} times, expected was once (try --help)", what.substr(0, at),
                       what.substr(at + too_often.size()));
  if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return what + " (try --help)";
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    if (!sub->get_group().empty()) known.push_back(sub->get_name());
  return fmt::format("there is no subcommand \"{}\"; there are {}", argv[1], listed(known));
}

// An option without a value does not mean the same as no option.
void require_values(const CLI::App& chosen) {
  for (const CLI::Option* option : chosen.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_expected_min() > 0)
        throw bad_input(
            fmt::format("{}: an empty value was given, expected was a text (try --help)", option->get_name()));
}

// A stack that is too small ends the process by a signal, wherever it is used up. Readers of JSON take some 80 kB.
void require_stack() {
  constexpr rlim_t least = 256 << 10;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < least)
    throw std::runtime_error(fmt::format("the stack is limited to {} kB, expected are {} kB or more (ulimit -s)",
                                         limit.rlim_cur >> 10, least >> 10));
}

int run_subcommand(subcommands (*describe)(CLI::App& app), int argc, char** argv) {
  CLI::App app;
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // --json=3 is refused; subcommands have the same defaults
  app.failure_message([](const CLI::App*, const CLI::Error&) { return std::string(); });
  const subcommands commands = describe(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw bad_input(explain(app, e, argc, argv));
    std::ostringstream help;
    app.exit(e, help, help);
    print(help.str());
    return 0;
  }
  const CLI::App& chosen = *app.get_subcommands().front();
  require_values(chosen);
  require_stack();
  return commands.at(chosen.get_name())();
}

// Calls it and reports thrown exceptions.
template <typename Call>
int code_of(const std::string& name, Call call) noexcept {
  try {
    return call();
  } catch (const bad_text& e) {
    return complain(name, e.what(), 2, '\n');
  } catch (const bad_input& e) {
    return complain(name, e.what(), 2);
  } catch (const interrupted_early& e) {
    return complain(name, e.what(), interruption::exit_code());
  } catch (const std::bad_alloc&) {
    return complain(name, "there is not enough memory", 1);
  } catch (const std::exception& e) {
    // An invariant is never what the user has to mend. Derived kinds of logic_error are about what was given.
    if (typeid(e) == typeid(std::logic_error))
      return complain(
          name, std::string("this is a mistake in weir, not in what was given; please report it: ") + e.what(), 1);
    return complain(name, e.what(), 1);
  } catch (...) {
    return complain(name, "what was thrown is no std::exception", 1);
  }
}

}  // namespace

int run_app(const std::string& name, subcommands (*describe)(CLI::App& app), int argc, char** argv) {
  const int code = code_of(name, [&] { return run_subcommand(describe, argc, argv); });
  return code_of(name, [&] {
    close_standard_output();
    return code;
  });
}

}  // namespace weir::program
