#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/weir/subcommands.hpp"

namespace weir::program {
namespace {

// Becomes weir-corpus, a program of its own, since it links poppler, which is GPL, and this one does not.
int become_corpus(std::vector<std::string> arguments) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weir-corpus";
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  for (std::string& a : arguments) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  if (errno == ENOENT)
    throw bad_input("corpus: there is no " + program.string() +
                    "; it is built by cmake --preset release -DWEIR_CORPUS=ON and then cmake --build build/release "
                    "--target weir-corpus, or by bench/corpus.sh with all that it needs");
  throw std::runtime_error("corpus: " + program.string() + " cannot be started: " + std::strerror(errno));
}

}  // namespace

std::function<int()> add_corpus(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("corpus", "Documents to text, the demonstration: starts weir-corpus");
  sub->set_help_flag();  // weir-corpus has its own
  sub->prefix_command();
  return [sub] { return become_corpus(sub->remaining()); };
}

}  // namespace weir::program
